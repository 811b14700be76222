//! The embedded DynamoDB engine (crate `dynoxide-rs`), served on a loopback port and used through the unchanged AWS
//! SDK.
//!
//! What it does *not* do as DynamoDB does (design.md §6): it is serial and so never answers a `TransactionConflict`;
//! nothing expires unless a sweep runs; it has one shard a stream and never trims it. Faults and counting are the
//! [`proxy`](crate::proxy)'s part, trimming is the [`pump`](crate::pump)'s.

mod clock;
mod data_dir;
mod error;
mod server;
mod stream_index;
pub mod tables;

use std::path::PathBuf;
use std::time::Duration;

use dynoxide::Database;
use dynoxide::actions::scan::ScanRequest;
use serde_json::Value;

pub use clock::EngineClock;
pub use error::{EngineError, NotSteerable};
pub use tables::TableNames;

use data_dir::DataDir;
use server::Server;

/// How an engine is to start.
#[derive(Debug, Clone, Default)]
pub struct EngineOptions {
    /// Directory of the durable engine's files, created if absent. `None` keeps everything in memory.
    pub data: Option<PathBuf>,
    /// What the engine's clock shows at the start, in milliseconds since the Unix epoch; it runs on from there. Memory
    /// engine only.
    pub start_time_ms: Option<i64>,
}

/// A running engine. Dropping it stops it.
pub struct Engine {
    db: Database,
    clock: EngineClock,
    server: Server,
    // Held for its lock: two engines must not share a directory.
    _data: Option<DataDir>,
}

/// Starts an engine on a free loopback port.
///
/// It answers as soon as this returns. Tables are made by [`Engine::create_tables`].
///
/// # Errors
/// The data directory cannot be used (not writable, not ours, in use by another engine), no port is free, or a start
/// time was asked of the durable engine, whose clock cannot be steered.
pub fn start(options: EngineOptions) -> Result<Engine, EngineError> {
    let (db, clock, data) = match options.data {
        None => {
            let clock = EngineClock::steerable(options.start_time_ms);
            let db = Database::memory_with_clock(clock.for_engine()).map_err(EngineError::Open)?;
            report(stream_index::of_memory(&db));
            (db, clock, None)
        }
        Some(_) if options.start_time_ms.is_some() => {
            return Err(EngineError::StartTime(NotSteerable));
        }
        Some(dir) => {
            let data = DataDir::claim(dir)?;
            let path = data.database_path()?;
            let db = Database::new(&path).map_err(EngineError::Open)?;
            report(stream_index::of_file(path.as_ref()));
            (db, EngineClock::real(), Some(data))
        }
    };
    let server = Server::start(db.clone())?;
    Ok(Engine {
        db,
        clock,
        server,
        _data: data,
    })
}

fn report(indexed: Result<(), stream_index::IndexError>) {
    if let Err(error) = indexed {
        tracing::warn!(%error, "stream records have no index; the engine slows down as they grow");
    }
}

impl Engine {
    /// Base URL for the SDK's endpoint setting, as `http://127.0.0.1:41234`.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// The engine's time in milliseconds since the Unix epoch: what TTL and stream records go by.
    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// A handle to the engine's time, for whoever must agree with it (the pump's record ages).
    pub fn clock(&self) -> EngineClock {
        self.clock.clone()
    }

    /// Moves the engine's clock forward and deletes what has expired by then; blocks for that sweep.
    ///
    /// # Errors
    /// [`NotSteerable`] for an engine with a data directory.
    pub fn advance(&self, by: Duration) -> Result<(), NotSteerable> {
        self.clock.advance(by)?;
        if let Err(error) = self.sweep_ttl() {
            tracing::warn!(%error, "items past their TTL stay until the next sweep");
        }
        Ok(())
    }

    /// Deletes every item past its TTL and returns how many. Also runs by itself every [`TTL_SWEEP_EVERY`].
    ///
    /// # Errors
    /// The engine's storage failed.
    pub fn sweep_ttl(&self) -> Result<usize, EngineError> {
        self.db.sweep_ttl().map_err(EngineError::Sweep)
    }

    /// Every item of a table, in DynamoDB's JSON. For looking at it: calls of its own are neither counted nor made to fail.
    ///
    /// # Errors
    /// There is no such table, or the storage failed.
    pub fn items(&self, table: &str) -> Result<Vec<Value>, EngineError> {
        let mut items = Vec::new();
        let mut from = None;
        loop {
            let request = ScanRequest {
                table_name: table.to_owned(),
                exclusive_start_key: from,
                ..ScanRequest::default()
            };
            let page = self.db.scan(request).map_err(|source| EngineError::Read {
                table: table.to_owned(),
                source,
            })?;
            let found = page.items.unwrap_or_default();
            items.extend(
                found
                    .iter()
                    .filter_map(|item| serde_json::to_value(item).ok()),
            );
            from = page.last_evaluated_key;
            if from.is_none() {
                return Ok(items);
            }
        }
    }

    /// Creates the product's tables with their streams, indexes and TTL; those that exist already are left as they are.
    ///
    /// # Errors
    /// A name is not a valid table name, or the storage failed.
    pub fn create_tables(&self, names: &TableNames) -> Result<(), EngineError> {
        tables::create(&self.db, names)
    }

    /// Stops serving: running calls finish, idle connections close. Once this returns nothing is listening. A second
    /// call does nothing.
    pub async fn shutdown(&self) {
        self.server.stop().await;
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("endpoint", &self.endpoint())
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}

pub use server::TTL_SWEEP_EVERY;
