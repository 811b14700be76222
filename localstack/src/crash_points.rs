//! The stack's half of the crash points: it arms them, and lets go of workers that hold.
//!
//! The functions' half, with what the files mean, is [`decide_once_service::crash`].

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use decide_once_service::crash::{self, Action};
use serde::Serialize;

/// The directory of armed points.
#[derive(Debug)]
pub struct CrashPoints {
    directory: PathBuf,
}

/// What is armed, and which workers hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Armed {
    /// Points that wait for a worker.
    pub armed: Vec<String>,
    /// Points at which a worker stands still.
    pub held: Vec<String>,
}

impl CrashPoints {
    /// Creates the directory inside `parent`, with nothing armed.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create(parent: &Path) -> io::Result<Self> {
        let directory = parent.join("crash-points");
        fs::create_dir(&directory)?;
        Ok(Self { directory })
    }

    /// The value of [`crash::DIRECTORY`].
    pub fn path(&self) -> &Path {
        &self.directory
    }

    /// Makes the next worker that reaches the point do so, once. A point that is armed already is armed anew.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn arm(&self, point: &str, action: Action) -> io::Result<()> {
        // Renamed into place, so that no worker reads half of it. The name is none of a point's.
        let unfinished = self.directory.join(format!("{point}.next"));
        fs::write(&unfinished, action.to_string())?;
        fs::rename(unfinished, self.directory.join(point))
    }

    /// What is armed, and who holds.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn list(&self) -> io::Result<Armed> {
        let mut list = Armed::default();
        for entry in fs::read_dir(&self.directory)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            match name.split_once('.') {
                None => list.armed.push(name),
                Some((point, rest)) if rest.strip_prefix(crash::HELD).is_some_and(is_alive) => {
                    list.held.push(point.to_owned());
                }
                Some(_) => {} // being armed, or held by a worker that was killed meanwhile
            }
        }
        list.armed.sort_unstable();
        list.held.sort_unstable();
        Ok(list)
    }

    /// Disarms every point, and lets go of every worker that holds.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn clear(&self) -> io::Result<()> {
        self.remove(|_| true)
    }

    /// Lets go of every worker that holds.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn let_go(&self) -> io::Result<()> {
        self.remove(|name| name.contains(crash::HELD))
    }

    fn remove(&self, which: impl Fn(&str) -> bool) -> io::Result<()> {
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            if which(&entry.file_name().to_string_lossy()) {
                // A worker may have been first: then it is gone, as wanted.
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }
}

/// Whether the process that `holder` begins with lives. Where there is no `/proc` it is taken for alive.
fn is_alive(holder: &str) -> bool {
    let pid = holder.split('-').next().unwrap_or_default();
    let processes = Path::new("/proc");
    !processes.join("self").exists() || processes.join(pid).exists()
}

/// Reads the name of a point; `None` if no function has it.
pub fn known(point: &str) -> Option<&'static str> {
    crash::POINTS.into_iter().find(|known| *known == point)
}

/// A hold in whole seconds; longer than a function may run it would only be another kill.
pub fn hold(seconds: u64) -> Option<Action> {
    (1..=900)
        .contains(&seconds)
        .then(|| Action::Hold(Duration::from_secs(seconds)))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_point_is_armed_by_a_file_of_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let points = CrashPoints::create(directory.path()).unwrap();
        points.arm("after_commit", Action::Kill).unwrap();
        points.arm("after_commit", hold(3).unwrap()).unwrap();
        let file = points.path().join("after_commit");
        assert_eq!(fs::read_to_string(file).unwrap(), "hold 3000");
        assert_eq!(points.list().unwrap().armed, ["after_commit"]);
        points.clear().unwrap();
        assert_eq!(points.list().unwrap(), Armed::default());
        assert_eq!((known("after_lunch"), hold(0)), (None, None));
    }
    #[test]
    fn a_worker_that_was_killed_holds_no_longer() {
        let directory = tempfile::tempdir().unwrap();
        let points = CrashPoints::create(directory.path()).unwrap();
        let held = |pid: u32| points.path().join(format!("before_commit.held-{pid}-0"));
        fs::write(held(std::process::id()), "hold 60000").unwrap();
        assert_eq!(points.list().unwrap().held, ["before_commit"]);
        fs::rename(held(std::process::id()), held(u32::MAX)).unwrap();
        if Path::new("/proc/self").exists() {
            assert_eq!(points.list().unwrap(), Armed::default());
        }
    }
}
