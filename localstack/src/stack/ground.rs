//! What the functions stand on: the engine with its tables, a way to it for each function, their clock.

use std::{collections::BTreeMap, io, sync::Arc};

use tempfile::TempDir;

use super::{StartError, error::system, functions::Plan};
use crate::{
    cli::ServeArgs,
    clock::LocalClock,
    engine::{self, Engine, EngineError, EngineOptions, TableNames},
    proxy::Proxy,
};

/// The ground of a stack.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) engine: Arc<Engine>,
    pub(super) tables: TableNames,
    /// One way to the store for each function, so that their calls are counted and fail apart.
    pub(super) stores: BTreeMap<&'static str, Arc<Proxy>>,
    pub(super) clock: Arc<LocalClock>,
    /// Holds the clock's file.
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
        let clock =
            LocalClock::create(directory.path()).map_err(system("write the functions' clock"))?;
        Ok(Self {
            engine,
            tables,
            stores,
            clock: Arc::new(clock),
            directory,
        })
    }
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
