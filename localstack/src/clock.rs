//! The functions' half of the steerable clock: a file that says how far it is ahead.
//!
//! Format: 8 bytes, a little-endian `i64`, milliseconds to add to the real time. Function processes find its path in
//! `DECIDE_ONCE_LOCAL_CLOCK` and read it whenever they need the time (feature `local` only; a file that is absent or short means 0).
//! It is replaced by renaming, so that a reader sees the old value or the new one.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// The offset file of a stack and the one place that writes it.
#[derive(Debug)]
pub struct LocalClock {
    path: PathBuf,
    offset_ms: Mutex<i64>,
}

impl LocalClock {
    /// Creates the file in `directory`, showing real time.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(directory: &Path) -> io::Result<Self> {
        let clock = Self {
            path: directory.join("clock"),
            offset_ms: Mutex::new(0),
        };
        clock.write(0)?;
        Ok(clock)
    }

    /// The value of `DECIDE_ONCE_LOCAL_CLOCK`.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Moves all functions' clocks forward and returns how many milliseconds they are ahead then.
    ///
    /// # Errors
    /// The file cannot be written; the clocks stay where they were.
    pub fn advance(&self, by: Duration) -> io::Result<i64> {
        let mut offset = self
            .offset_ms
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let ahead = offset.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX));
        self.write(ahead)?;
        *offset = ahead;
        Ok(ahead)
    }

    /// How many milliseconds the functions' clocks are ahead.
    pub fn ahead_ms(&self) -> i64 {
        *self
            .offset_ms
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, offset_ms: i64) -> io::Result<()> {
        let next = self.path.with_extension("next");
        fs::write(&next, offset_ms.to_le_bytes())?;
        fs::rename(&next, &self.path)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn the_file_holds_the_sum_of_all_moves_as_little_endian_milliseconds() {
        let directory = tempfile::tempdir().unwrap();
        let clock = LocalClock::create(directory.path()).unwrap();
        assert_eq!(fs::read(clock.path()).unwrap(), [0; 8]);
        clock.advance(Duration::from_secs(30)).unwrap();
        assert_eq!(clock.advance(Duration::from_millis(5)).unwrap(), 30_005);
        assert_eq!(fs::read(clock.path()).unwrap(), 30_005_i64.to_le_bytes());
    }
}
