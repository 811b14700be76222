//! The stack's time: one clock that can be moved, and the file by which the functions share it.
//!
//! Format: 8 bytes, a little-endian `i64`, milliseconds to add to the real time. Function processes find its path in
//! `DECIDE_ONCE_LOCAL_CLOCK` and read it whenever they need the time (feature `local` only; a file that is absent or short means 0).
//! It is replaced by renaming, so that a reader sees the old value or the new one.
//!
//! The engine in memory goes by this clock. One with a data directory goes by the real time, which only its TTL and the ages of its stream
//! records depend on; the file lies in that directory then, because records that were written ahead of the real time would otherwise
//! be in the future of the next start.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::engine::EngineClock;

/// The clock of a stack and the one place that moves it.
#[derive(Debug)]
pub struct LocalClock {
    path: PathBuf,
    time: EngineClock,
    /// One move at a time.
    moving: Mutex<()>,
}

impl LocalClock {
    /// The clock whose file is in `directory`: the engine's own if that can be moved, or else one that is as far ahead as the file says.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn open(directory: &Path, engine: EngineClock) -> io::Result<Self> {
        let path = directory.join("clock");
        let time = if engine.is_steerable() {
            engine
        } else {
            EngineClock::ahead_by(read(&path)?)
        };
        let clock = Self {
            path,
            time,
            moving: Mutex::new(()),
        };
        clock.write(clock.ahead_ms())?;
        Ok(clock)
    }

    /// The value of `DECIDE_ONCE_LOCAL_CLOCK`.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A handle to the time.
    pub fn time(&self) -> EngineClock {
        self.time.clone()
    }

    /// Moves all clocks of the stack forward and returns how many milliseconds they are ahead then.
    ///
    /// # Errors
    /// The file cannot be written; the clocks stay where they were.
    pub fn advance(&self, by: Duration) -> io::Result<i64> {
        let _one = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.ahead_ms();
        self.time.advance(by).map_err(io::Error::other)?;
        let ahead = self.ahead_ms();
        if let Err(error) = self.write(ahead) {
            self.time.set_ahead(before);
            return Err(error);
        }
        Ok(ahead)
    }

    /// How many milliseconds the stack's clocks are ahead of the real time.
    pub fn ahead_ms(&self) -> i64 {
        self.time.ahead_ms()
    }

    fn write(&self, offset_ms: i64) -> io::Result<()> {
        let next = self.path.with_extension("next");
        fs::write(&next, offset_ms.to_le_bytes())?;
        fs::rename(&next, &self.path)
    }
}

fn read(path: &Path) -> io::Result<i64> {
    match fs::read(path) {
        Ok(bytes) => Ok(bytes.try_into().map_or(0, i64::from_le_bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn the_file_holds_the_sum_of_all_moves_as_little_endian_milliseconds() {
        let directory = tempfile::tempdir().unwrap();
        let clock = LocalClock::open(directory.path(), EngineClock::steerable(None)).unwrap();
        assert_eq!(fs::read(clock.path()).unwrap(), [0; 8]);
        clock.advance(Duration::from_secs(30)).unwrap();
        assert_eq!(clock.advance(Duration::from_millis(5)).unwrap(), 30_005);
        assert_eq!(fs::read(clock.path()).unwrap(), 30_005_i64.to_le_bytes());
    }

    #[test]
    fn with_a_durable_engine_the_next_start_goes_on_from_where_the_last_one_was() {
        let directory = tempfile::tempdir().unwrap();
        let clock = LocalClock::open(directory.path(), EngineClock::real()).unwrap();
        clock.advance(Duration::from_secs(30)).unwrap();
        drop(clock);
        let clock = LocalClock::open(directory.path(), EngineClock::real()).unwrap();
        assert_eq!(clock.ahead_ms(), 30_000);
        assert_eq!(clock.advance(Duration::from_secs(1)).unwrap(), 31_000);
    }

    #[test]
    fn a_move_that_cannot_be_told_to_the_functions_is_not_made() {
        let directory = tempfile::tempdir().unwrap();
        let engine = EngineClock::steerable(None);
        let clock = LocalClock::open(directory.path(), engine.clone()).unwrap();
        clock.advance(Duration::from_secs(30)).unwrap();
        drop(directory);
        assert!(clock.advance(Duration::from_secs(30)).is_err());
        assert_eq!((clock.ahead_ms(), engine.ahead_ms()), (30_000, 30_000));
    }
}
