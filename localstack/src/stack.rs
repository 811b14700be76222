//! The whole stack: started in order, stopped in stages.

use std::{
    collections::BTreeMap,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use tempfile::TempDir;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

use crate::{
    cli::ServeArgs,
    clock::LocalClock,
    engine::{self, Engine, EngineError, EngineOptions, TableNames},
    front::{self, Gateway, Meter},
    local_api::{self, LocalApi},
    names,
    policies::{self, PoliciesError},
    processes::{Environment, ReservedName, StartFailure, Supervisor},
    proxy::Proxy,
    runtime_api::{self, FunctionSpec, Functions, Invoker},
};

/// How long requests that are under way may take to finish at a stop. Ctrl-C should feel like an end.
const DRAIN_LIMIT: Duration = Duration::from_secs(3);

/// Why the stack does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The HTTP API's port cannot be had.
    #[error(
        "cannot listen on 127.0.0.1:{port}; stop what uses the port or choose another with --port (0 takes a free one)"
    )]
    Port {
        /// The port.
        port: u16,
        /// The operating system's reason.
        source: io::Error,
    },
    /// No policies.
    #[error(transparent)]
    Policies(#[from] PoliciesError),
    /// `--env` names a variable of the stack.
    #[error(transparent)]
    Variable(#[from] ReservedName),
    /// The engine or its tables.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A function ended before it asked for work.
    #[error(transparent)]
    Function(#[from] StartFailure),
    /// The operating system refused something that it usually grants.
    #[error("cannot {what}")]
    System {
        /// What was tried.
        what: &'static str,
        /// The operating system's reason.
        source: io::Error,
    },
}

/// A running stack. [`shutdown`](Self::shutdown) stops it in stages; a drop kills the function processes.
#[derive(Debug)]
pub struct Stack {
    url: String,
    stop_front: oneshot::Sender<()>,
    front: JoinHandle<()>,
    supervisor: Supervisor,
    runtime_api: JoinHandle<()>,
    engine: Arc<Engine>,
    /// Holds the clock's file.
    _directory: TempDir,
}

impl Stack {
    /// Starts everything and returns once a request would be answered.
    ///
    /// # Errors
    /// Whatever is missing or in the way; nothing is left running then.
    pub async fn start(args: &ServeArgs) -> Result<Self, StartError> {
        // What a person can get wrong comes first.
        let policies = policies::find(args.policies.as_deref())?;
        let (front_listener, front_address) =
            listen(args.port).await.map_err(|source| StartError::Port {
                port: args.port,
                source,
            })?;
        let url = format!("http://{front_address}");

        let tables = TableNames::default();
        let engine = start_engine(args, tables.clone()).await?;
        let (store, directory, clock) = start_surroundings(&engine).await?;

        let functions = Functions::new(&[FunctionSpec {
            name: names::DECIDE,
            timeout: args.function_timeout(),
        }]);
        let (runtime_listener, runtime_address) = listen(0)
            .await
            .map_err(system("open a port for the Runtime API"))?;
        let runtime_api = runtime_api::router(Arc::clone(&functions));
        let runtime_api = tokio::spawn(async move {
            if let Err(error) = axum::serve(runtime_listener, runtime_api).await {
                tracing::error!(%error, "the Runtime API ended");
            }
        });

        let environment = Environment {
            runtime_api: format!("http://{runtime_address}"),
            dynamodb: store.endpoint(),
            tables,
            policies,
            clock: clock.path().to_owned(),
            sink: format!("{url}/_local/sink/receive"),
            extra: args.env.clone(),
        };
        environment.check()?;
        let supervisor = start_functions(args, &functions, environment).await?;

        let meter = Meter::new(Arc::clone(&store));
        let gateway = Gateway {
            auth: args.auth,
            timeout: args.gateway_timeout(),
            port: front_address.port(),
            invoker: Invoker::new(Arc::clone(&functions)),
            clock: engine.clock(),
            meter: meter.clone(),
        };
        let local = local_api::router(LocalApi {
            engine: Arc::clone(&engine),
            clock,
            stores: BTreeMap::from([(names::DECIDE, store)]),
            meter,
            functions,
            processes: Arc::new(supervisor.statuses()),
        });
        let (stop_front, front_stopping) = oneshot::channel();
        let front = front::router(gateway, local);
        let front = tokio::spawn(async move {
            let stopping = async {
                let _ = front_stopping.await; // a dropped stack stops as well
            };
            let served = axum::serve(front_listener, front).with_graceful_shutdown(stopping);
            if let Err(error) = served.await {
                tracing::error!(%error, "the HTTP API ended");
            }
        });
        Ok(Self {
            url,
            stop_front,
            front,
            supervisor,
            runtime_api,
            engine,
            _directory: directory,
        })
    }

    /// The HTTP API's address, as `http://127.0.0.1:3000`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Stops in stages: no new requests, then the processes, then what they stood on. Once this returns nothing is left.
    pub async fn shutdown(self) {
        let _ = self.stop_front.send(());
        let front = self.front.abort_handle();
        if tokio::time::timeout(DRAIN_LIMIT, self.front).await.is_err() {
            front.abort(); // what is still under way fails with its process
        }
        self.supervisor.shutdown().await;
        self.runtime_api.abort();
        self.engine.shutdown().await;
    }
}

/// On loopback only.
async fn listen(port: u16) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

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

async fn start_surroundings(
    engine: &Engine,
) -> Result<(Arc<Proxy>, TempDir, Arc<LocalClock>), StartError> {
    let store = Proxy::start(&engine.endpoint())
        .await
        .map_err(system("open a port for the way to the store"))?;
    let directory = tempfile::Builder::new()
        .prefix("decide-once-")
        .tempdir()
        .map_err(system("create a temporary directory"))?;
    let clock =
        LocalClock::create(directory.path()).map_err(system("write the functions' clock"))?;
    Ok((Arc::new(store), directory, Arc::new(clock)))
}

/// The first process alone, which is the fastest way to be ready and says once, not N times, what is wrong; then the others.
async fn start_functions(
    args: &ServeArgs,
    functions: &Arc<Functions>,
    environment: Environment,
) -> Result<Supervisor, StartError> {
    let mut supervisor = Supervisor::new(Arc::clone(functions), environment);
    supervisor.add(names::DECIDE);
    let started = tokio::select! {
        _ = functions.ready(names::DECIDE) => Ok(()),
        failure = supervisor.start_failure() => Err(failure),
    };
    if let Err(failure) = started {
        supervisor.shutdown().await;
        return Err(failure.into());
    }
    for _ in 1..args.concurrency {
        supervisor.add(names::DECIDE);
    }
    Ok(supervisor)
}

fn system(what: &'static str) -> impl FnOnce(io::Error) -> StartError {
    move |source| StartError::System { what, source }
}
