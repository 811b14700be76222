//! The whole stack: started in order, stopped in stages.

mod error;
mod functions;
mod ground;
mod mapping;
mod queues;
mod schedule;
mod server;

use std::{sync::Arc, time::Duration};

use tempfile::TempDir;
use tokio::task::JoinHandle;

pub use error::StartError;
pub(crate) use schedule::Schedule;

use crate::{
    banner::Sample,
    cli::ServeArgs,
    engine::Engine,
    front::{self, Gateway, Meter},
    local_api::{self, LocalApi, Views},
    names, policies,
    processes::{Environment, Supervisor},
    runtime_api::{self, Functions, Invoker},
};
use error::system;
use ground::Ground;
use mapping::Running;
use queues::Feeding;
use server::{Server, listen};

/// How long requests that are under way may take to finish at a stop. Ctrl-C should feel like an end.
const DRAIN_LIMIT: Duration = Duration::from_secs(3);

/// A running stack. [`shutdown`](Self::shutdown) stops it in stages; a drop kills the function processes.
#[derive(Debug)]
pub struct Stack {
    url: String,
    sample: Option<Sample>,
    front: Server,
    mappings: Vec<Running>,
    fed: Vec<Feeding>,
    sweeps: Option<JoinHandle<()>>,
    supervisor: Supervisor,
    runtime_api: Server,
    engine: Arc<Engine>,
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
        let checked = functions::check(policies.clone());
        let (front_port, front_address) = listen(args.port).await.map_err(|source| {
            let port = args.port;
            StartError::Port { port, source }
        })?;
        let url = format!("http://{front_address}");

        let plan = functions::plan(args);
        let ground = Ground::lay(args, &plan).await?;
        let specs: Vec<_> = plan.iter().map(functions::Plan::spec).collect();
        let functions = Functions::new(&specs);
        let (runtime_port, runtime_address) = listen(0)
            .await
            .map_err(system("open a port for the Runtime API"))?;
        let api = runtime_api::router(Arc::clone(&functions), args.traces());
        let runtime_api = Server::start(runtime_port, api);

        let environment = Environment {
            runtime_api: format!("http://{runtime_address}"),
            stores: ground.stores.clone(),
            tables: ground.tables.clone(),
            policies,
            clock: ground.clock.path().to_owned(),
            crash_points: ground.crash_points.path().to_owned(),
            url: url.clone(),
            extra: args.env.clone(),
        };
        environment.check()?;
        let sample = Sample::of(&checked.await?);
        let supervisor = functions::start(&plan, &functions, environment, &args.skew_ms).await?;
        let mappings = mapping::start(args, &ground, &Invoker::new(Arc::clone(&functions)))?;

        let invoker = Invoker::new(Arc::clone(&functions));
        let fed = queues::start(&ground.queues, &invoker);
        let schedule = Arc::new(Schedule::new(invoker, args.sweep_every()));
        let sweeps = schedule.start();

        let meter = Meter::new(Arc::clone(&ground.stores[names::DECIDE]));
        let gateway = Gateway {
            auth: args.auth,
            timeout: args.gateway_timeout(),
            port: front_address.port(),
            invoker: Invoker::new(Arc::clone(&functions)),
            clock: ground.clock.time(),
            meter: meter.clone(),
        };
        let local = local_api::router(LocalApi {
            engine: Arc::clone(&ground.engine),
            tables: ground.tables,
            clock: ground.clock,
            crash_points: ground.crash_points,
            stores: ground.stores,
            received: ground.received,
            given_up: ground.given_up,
            queues: Arc::clone(&ground.queues),
            url: url.clone(),
            meter,
            schedule: Arc::clone(&schedule),
            functions,
            views: Views {
                processes: Arc::new(supervisor.statuses()),
                sweeps: schedule,
                queues: ground.queues,
                fed: fed
                    .iter()
                    .map(|(function, mapping)| (*function, Arc::new(mapping.viewer()) as _))
                    .collect(),
                streams: mappings
                    .iter()
                    .map(|(function, mapping)| (*function, Arc::new(mapping.viewer()) as _))
                    .collect(),
            },
        });
        Ok(Self {
            url,
            sample,
            front: Server::start(front_port, front::router(gateway, local)),
            mappings,
            fed,
            sweeps,
            supervisor,
            runtime_api,
            engine: ground.engine,
            _directory: ground.directory,
        })
    }

    /// The HTTP API's address, as `http://127.0.0.1:3000`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A request that its policies decide, for whoever wants to see it work.
    pub(crate) const fn sample(&self) -> Option<&Sample> {
        self.sample.as_ref()
    }

    /// Stops in stages: no new batches and requests, then the processes, then what they stood on. Once this returns
    /// nothing is left.
    pub async fn shutdown(self) {
        if let Some(sweeps) = self.sweeps {
            sweeps.abort();
        }
        for (_, mapping) in self.mappings {
            mapping.stop().await;
        }
        for (_, mapping) in self.fed {
            mapping.stop().await;
        }
        self.front.stop(DRAIN_LIMIT).await;
        self.supervisor.shutdown().await;
        self.runtime_api.stop(Duration::ZERO).await; // nobody is left to ask it
        self.engine.shutdown().await;
    }
}
