//! What the functions stand on: the engine with its tables, a way to it for each function, their clock and crash points,
//! and what the stack keeps for them.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use tempfile::TempDir;

use super::{StartError, error::system, functions::Plan, queues};
use crate::{
    cli::ServeArgs,
    clock::LocalClock,
    crash_points::CrashPoints,
    engine::{self, Engine, EngineError, EngineOptions, TableNames},
    journal::Journal,
    proxy::Proxy,
    pump::CheckpointStore,
    queue::Queue,
};

/// The ground of a stack.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) engine: Arc<Engine>,
    pub(super) tables: TableNames,
    /// The queues by name.
    pub(super) queues: Arc<BTreeMap<&'static str, Arc<Queue>>>,
    /// Where the tables are kept, if they are.
    data: Option<PathBuf>,
    /// One way to the store for each function, so that their calls are counted and fail apart.
    pub(super) stores: BTreeMap<&'static str, Arc<Proxy>>,
    pub(super) clock: Arc<LocalClock>,
    pub(super) crash_points: Arc<CrashPoints>,
    /// The events that the sink has acknowledged.
    pub(super) received: Arc<Journal>,
    /// What the mappings gave up.
    pub(super) given_up: Arc<Journal>,
    /// Holds the crash points and, if nothing is kept, the clock's file.
    pub(super) directory: TempDir,
}

impl Ground {
    pub(super) async fn lay(args: &ServeArgs, plan: &[Plan]) -> Result<Self, StartError> {
        let tables = TableNames::default();
        let engine = start_engine(args, tables.clone()).await?;
        let mut stores = BTreeMap::new();
        for function in plan {
            let store = Proxy::start(&engine.endpoint())
                .await
                .map_err(system("open a port for the way to the store"))?;
            stores.insert(function.name, Arc::new(store));
        }
        let directory = tempfile::Builder::new()
            .prefix("decide-once-")
            .tempdir()
            .map_err(system("create a temporary directory"))?;
        let crash_points = CrashPoints::create(directory.path())
            .map_err(system("create the directory of crash points"))?;
        // Beside the engine's own files: it has the directory for itself by now.
        let data = args.data.as_deref();
        let clock = LocalClock::open(data.unwrap_or(directory.path()), engine.clock())
            .map_err(system("write the functions' clock"))?;
        let queues = queues::open(args, &clock.time(), data)
            .map_err(system("read what the queues have, in the data directory"))?;
        Ok(Self {
            queues: Arc::new(queues),
            engine,
            tables,
            stores,
            clock: Arc::new(clock),
            crash_points: Arc::new(crash_points),
            received: journal(data, "events.jsonl")?,
            given_up: journal(data, "on-failure.jsonl")?,
            data: args.data.clone(),
            directory,
        })
    }
}

impl Ground {
    /// How far the mapping to `function` is, beside the tables.
    pub(super) fn checkpoint(&self, function: &str) -> CheckpointStore {
        self.data
            .as_ref()
            .map_or_else(CheckpointStore::memory, |data| {
                CheckpointStore::file(data.join(format!("{function}-checkpoint.json")))
            })
    }
}

fn journal(data: Option<&Path>, name: &str) -> Result<Arc<Journal>, StartError> {
    let journal = match data {
        None => Ok(Journal::memory()),
        Some(data) => Journal::file(&data.join(name)),
    };
    let journal = journal.map_err(system("read what was delivered, in the data directory"))?;
    Ok(Arc::new(journal))
}

/// On a thread for blocking work: it opens files.
async fn start_engine(args: &ServeArgs, tables: TableNames) -> Result<Arc<Engine>, StartError> {
    let options = EngineOptions {
        data: args.data.clone(),
        start_time_ms: None,
    };
    let started = tokio::task::spawn_blocking(move || {
        let engine = engine::start(options)?;
        engine.create_tables(&tables)?;
        Ok::<_, EngineError>(Arc::new(engine))
    });
    match started.await {
        Ok(engine) => Ok(engine?),
        Err(panic) => Err(system("start the embedded database")(io::Error::other(
            panic,
        ))),
    }
}
