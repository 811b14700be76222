//! The directory of a durable engine, held by one process at a time.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::error::EngineError;

const DATABASE: &str = "dynamodb.sqlite";
const LOCK: &str = "lock";

/// A data directory that this process has locked; the operating system releases the lock however the process ends.
#[derive(Debug)]
pub(super) struct DataDir {
    path: PathBuf,
    _lock: File,
}

impl DataDir {
    /// Creates the directory if it is absent and takes it for this process.
    ///
    /// # Errors
    /// It cannot be created or written, it has somebody else's files, or another process holds it.
    pub(super) fn claim(path: PathBuf) -> Result<Self, EngineError> {
        if is_foreign(&path) {
            return Err(EngineError::DataDirForeign { path });
        }
        let opened = fs::create_dir_all(&path).and_then(|()| {
            File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(path.join(LOCK))
        });
        let lock = match opened {
            Ok(file) => file,
            Err(source) => return Err(EngineError::DataDir { path, source }),
        };
        match lock.try_lock() {
            Ok(()) => Ok(Self { path, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(EngineError::DataDirInUse { path }),
            Err(TryLockError::Error(source)) => Err(EngineError::DataDir { path, source }),
        }
    }

    /// Where the database file is; the engine takes paths as UTF-8 only.
    pub(super) fn database_path(&self) -> Result<String, EngineError> {
        let file = self.path.join(DATABASE);
        file.into_os_string()
            .into_string()
            .map_err(|_| EngineError::DataDir {
                path: self.path.clone(),
                source: io::Error::new(io::ErrorKind::InvalidFilename, "the path is not UTF-8"),
            })
    }
}

/// Whether it has files, and not the one that every stack makes first.
fn is_foreign(path: &Path) -> bool {
    let has_files = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
    has_files && !path.join(LOCK).exists()
}
