//! What can go wrong with the embedded engine.

use std::io;
use std::path::PathBuf;

use dynoxide::DynoxideError;

/// The engine's clock is the real one and cannot be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "with a data directory the engine runs on real time; start without --data to steer its clock"
)]
pub struct NotSteerable;

/// Why the engine could not start or do something.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The data directory could not be created or locked.
    #[error("cannot use the data directory {}; choose one that this user may write to", path.display())]
    DataDir {
        /// The directory that was asked for.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The data directory has files, and none of a stack's.
    #[error("the directory {} has files and none of them is a stack's; choose an empty one or one that is not there yet", path.display())]
    DataDirForeign {
        /// The directory that was asked for.
        path: PathBuf,
    },
    /// Another process has the data directory open.
    #[error("the data directory {} is in use by another stack; stop that one or choose another directory", path.display())]
    DataDirInUse {
        /// The directory that was asked for.
        path: PathBuf,
    },
    /// A start time was given together with a data directory.
    #[error(transparent)]
    StartTime(NotSteerable),
    /// The database could not be opened.
    #[error("cannot open the embedded database; remove the data directory or choose another")]
    Open(#[source] DynoxideError),
    /// No loopback port, or no thread, for the engine.
    #[error("cannot serve the embedded database on 127.0.0.1")]
    Serve(#[source] io::Error),
    /// A table could not be created.
    #[error("cannot create table `{table}`; check its name")]
    Table {
        /// Name of the table.
        table: String,
        /// The engine's reason.
        source: DynoxideError,
    },
    /// A table could not be read.
    #[error("cannot read table `{table}`")]
    Read {
        /// Name of the table.
        table: String,
        /// The engine's reason.
        source: DynoxideError,
    },
    /// A sweep of expired items failed.
    #[error("cannot delete items past their TTL")]
    Sweep(#[source] DynoxideError),
}
