//! How far a stream is processed, kept where the next start finds it.
//!
//! A checkpoint that is lost or old costs repetition, never records: delivery is at least once. So a file is replaced
//! in one step but not forced to disk, and one that cannot be read counts as none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::stream::Stream;

/// Everything up to this record is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Checkpoint {
    stream_arn: String,
    shard_id: String,
    pub(super) position: Position,
}

/// A record's place in its shard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Position {
    pub(super) sequence_number: String,
    /// When its change was made, in Unix milliseconds.
    pub(super) created_ms: i64,
}

/// Where a pump keeps its checkpoint. A clone is the same place.
#[derive(Debug, Clone)]
pub struct CheckpointStore {
    place: Place,
}

#[derive(Debug, Clone)]
enum Place {
    Memory(Arc<Mutex<Option<Checkpoint>>>),
    File(PathBuf),
}

impl CheckpointStore {
    /// Kept for as long as the store itself.
    pub fn memory() -> Self {
        Self {
            place: Place::Memory(Arc::default()),
        }
    }

    /// Kept in this file; its directory must exist.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self {
            place: Place::File(path.into()),
        }
    }

    /// The position that was saved for this stream; another stream's, also a former one's of the same table, does not
    /// count.
    pub(super) fn load(&self, stream: &Stream) -> Option<Position> {
        let checkpoint = match &self.place {
            Place::Memory(slot) => slot
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone()?,
            Place::File(path) => read(path)?,
        };
        (checkpoint.stream_arn == stream.arn && checkpoint.shard_id == stream.shard_id)
            .then_some(checkpoint.position)
    }

    /// # Errors
    /// The file cannot be written.
    pub(super) fn save(&self, stream: &Stream, position: Position) -> io::Result<()> {
        let checkpoint = Checkpoint {
            stream_arn: stream.arn.clone(),
            shard_id: stream.shard_id.clone(),
            position,
        };
        match &self.place {
            Place::Memory(slot) => {
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(checkpoint);
                Ok(())
            }
            Place::File(path) => {
                let unfinished = path.with_extension("new");
                fs::write(&unfinished, serde_json::to_vec(&checkpoint)?)?;
                fs::rename(unfinished, path)
            }
        }
    }
}

fn read(path: &Path) -> Option<Checkpoint> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => {
            tracing::warn!(%error, "the stream's checkpoint cannot be read; starting from the oldest record");
            return None;
        }
    };
    serde_json::from_slice(&bytes)
        .inspect_err(|error| {
            tracing::warn!(%error, "the stream's checkpoint is damaged; starting from the oldest record");
        })
        .ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on says so")]

    use super::*;

    fn stream(arn: &str) -> Stream {
        Stream {
            arn: arn.into(),
            shard_id: "shard".into(),
        }
    }

    fn position() -> Position {
        Position {
            sequence_number: "100000000000000000001".into(),
            created_ms: 1_000,
        }
    }

    #[test]
    fn a_file_outlives_its_store_and_counts_for_its_own_stream_only() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("checkpoint.json");
        let store = CheckpointStore::file(&path);
        assert_eq!(store.load(&stream("a")), None);
        store.save(&stream("a"), position()).unwrap();
        let reopened = CheckpointStore::file(&path);
        assert_eq!(reopened.load(&stream("a")), Some(position()));
        assert_eq!(reopened.load(&stream("b")), None, "a recreated stream");
    }

    #[test]
    fn a_damaged_file_means_to_start_over() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("checkpoint.json");
        fs::write(&path, b"{\"streamArn\":").unwrap();
        assert_eq!(CheckpointStore::file(&path).load(&stream("a")), None);
    }
}
