//! Gives the engine's stream records an index.
//!
//! The engine keeps the records of all streams in one SQLite table without any: each write to a table with a stream
//! reads all of them for its next sequence number, and so does each `GetRecords`. A stack that is used for a while
//! would spend its time on that. The expressions are those of the engine's own statements, which is what makes SQLite
//! use the index; the engine's version is pinned, and without the index it is only slow.

use std::path::Path;

use dynoxide::Database;
use rusqlite::Connection;

const INDEXES: &str = "
    CREATE INDEX IF NOT EXISTS decide_once_stream_position
        ON _stream_records (table_name, shard_id, CAST(sequence_number AS INTEGER));
    CREATE INDEX IF NOT EXISTS decide_once_stream_end
        ON _stream_records (table_name, CAST(sequence_number AS INTEGER));";

/// Why there is no index.
#[derive(Debug, thiserror::Error)]
pub(super) enum IndexError {
    #[error("no temporary directory")]
    Directory(#[from] std::io::Error),
    #[error("the temporary directory's path is not UTF-8")]
    Path,
    #[error("the engine's database is not as expected")]
    Sqlite(#[from] rusqlite::Error),
    #[error("the engine cannot copy its database")]
    Copy(#[from] dynoxide::DynoxideError),
}

/// For a database file.
pub(super) fn of_file(path: &Path) -> Result<(), IndexError> {
    Ok(Connection::open(path)?.execute_batch(INDEXES)?)
}

/// For a memory database that is still empty. Nobody else can reach its connection, so it goes through a file and back.
pub(super) fn of_memory(db: &Database) -> Result<(), IndexError> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("empty.sqlite");
    let path = file.to_str().ok_or(IndexError::Path)?;
    db.vacuum_into(path)?;
    of_file(&file)?;
    Ok(db.restore_from(path)?)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on says so")]

    use super::*;

    /// The engine's own statements, without their columns.
    const READ_ON: &str = "SELECT event_name FROM _stream_records
        WHERE table_name = 't' AND shard_id = 's' AND CAST(sequence_number AS INTEGER) > 5
        ORDER BY CAST(sequence_number AS INTEGER) ASC LIMIT 1000";
    const NEXT: &str = "SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1
        FROM _stream_records WHERE table_name = 't'";

    fn plan(connection: &Connection, statement: &str) -> String {
        let explain = format!("EXPLAIN QUERY PLAN {statement}");
        connection
            .query_row(&explain, [], |row| row.get("detail"))
            .unwrap()
    }

    #[test]
    fn reading_on_and_the_next_sequence_number_go_by_the_index() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("engine.sqlite");
        let _engine = Database::new(file.to_str().unwrap()).unwrap();
        of_file(&file).unwrap();
        of_file(&file).unwrap();
        let connection = Connection::open(&file).unwrap();
        let read_on = plan(&connection, READ_ON);
        assert!(read_on.contains("decide_once_stream_position"), "{read_on}");
        let next = plan(&connection, NEXT);
        assert!(next.contains("decide_once_stream_end"), "{next}");
    }

    #[test]
    fn a_memory_database_keeps_its_index() {
        let engine = Database::memory().unwrap();
        of_memory(&engine).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("copy.sqlite");
        engine.vacuum_into(file.to_str().unwrap()).unwrap();
        let next = plan(&Connection::open(&file).unwrap(), NEXT);
        assert!(next.contains("decide_once_stream_end"), "{next}");
    }
}
