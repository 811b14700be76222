//! Those who work without a caller: evaluate and publish behind their streams, and the sweeper on its schedule.

use std::sync::Arc;
use std::time::Duration;

use decide_once_protocol::scope::OperationId;
use decide_once_service::ports::Clock as _;
use decide_once_service::publish::{Change, Pace, Publisher};
use decide_once_service::resume::Task;
use decide_once_service::sweep::{MARGIN, Sweeper};
use decide_once_tests::fixtures::CountingIds;

use crate::bug::Bug;
use crate::chance::{Place, Who};
use crate::clock::SimulatedClock;
use crate::fleet::{Worker, worker};
use crate::journal::What;
use crate::line::{INVOCATION, Line};
use crate::sink::Bus;
use crate::streams::{Handler, SHARDS};
use crate::world::World;

/// The longest that an event takes, sink and mark together.
const LONGEST: Duration = Duration::from_secs(2);

/// Begins to feed both streams, shard by shard.
pub(crate) fn begin(world: &Arc<World>) {
    for shard in 0..SHARDS {
        let there = Arc::clone(world);
        world.spawn(async move {
            let evaluates = Evaluates {
                world: Arc::clone(&there),
                worker: None,
            };
            there
                .operations
                .feed(shard, Who::Evaluate(shard), &there, evaluates)
                .await;
        });
        let there = Arc::clone(world);
        world.spawn(async move {
            let publishes = Publishes {
                world: Arc::clone(&there),
                publisher: None,
            };
            there
                .outbox
                .feed(shard, Who::Publish(shard), &there, publishes)
                .await;
        });
    }
}

struct Evaluates {
    world: Arc<World>,
    worker: Option<Worker>,
}

impl Handler<OperationId> for Evaluates {
    async fn handle(&mut self, place: Place, batch: &[OperationId]) -> Option<usize> {
        let new = || worker(&self.world, place.who, place);
        let worker = self.worker.take().unwrap_or_else(new);
        let tasks: Vec<_> = (0..)
            .zip(batch)
            .map(|(number, operation): (usize, _)| Task {
                name: Some(number.to_string()),
                operation: operation.clone(),
            })
            .collect();
        let deadline = worker.clock.now().plus(INVOCATION);
        let line = worker.store.clone();
        let fates = line
            .invoke(place, INVOCATION, worker.resume_all(&tasks, deadline))
            .await?;
        self.worker = Some(worker);
        let first = fates
            .unfinished()
            .filter_map(|name| name.parse().ok())
            .min();
        Some(first.unwrap_or(batch.len()))
    }
}

type Publishing = Publisher<Line, Bus, SimulatedClock>;

fn publisher(world: &Arc<World>, line: &Line, clock: SimulatedClock) -> Publishing {
    let bus = Bus::new(line.clone(), Arc::clone(world));
    Publisher::new(line.clone(), bus, clock, Pace::within(LONGEST))
}

struct Publishes {
    world: Arc<World>,
    publisher: Option<Publishing>,
}

impl Handler<Change> for Publishes {
    async fn handle(&mut self, place: Place, batch: &[Change]) -> Option<usize> {
        let world = &self.world;
        let new = || publisher(world, &Line::new(world, place.who), world.clock_of(place));
        let publisher = self.publisher.take().unwrap_or_else(new);
        let deadline = publisher.clock.now().plus(INVOCATION);
        let line = publisher.outbox.clone();
        let report = line
            .invoke(place, INVOCATION, publisher.publish(batch, deadline))
            .await?;
        self.publisher = Some(publisher);
        let stopped = report
            .stopped
            .and_then(|(at, _)| batch.iter().position(|change| change.sequence == at));
        Some(stopped.unwrap_or(batch.len()))
    }
}

/// The sweeper's process, from sweep to sweep.
#[derive(Debug)]
pub(crate) struct Sweeps {
    world: Arc<World>,
    process: Option<(Line, Sweeper<Line, Bus, SimulatedClock, CountingIds>)>,
    turn: u32,
}

impl Sweeps {
    pub(crate) fn new(world: &Arc<World>) -> Self {
        Self {
            world: Arc::clone(world),
            process: None,
            turn: 0,
        }
    }

    /// Sweeps once. Whether nothing was left to be done.
    pub(crate) async fn sweep(&mut self) -> bool {
        self.turn += 1;
        let (place, world) = (
            Place::invocation(Who::Sweep, self.turn),
            Arc::clone(&self.world),
        );
        if world.plan.bug == Some(Bug::NoSweeper) {
            return true;
        }
        let new = || {
            let worker = worker(&world, Who::Sweep, place);
            let line = worker.store.clone();
            let publisher = publisher(&world, &line, worker.clock);
            (line, Sweeper::new(worker, publisher, MARGIN))
        };
        let (line, sweeper) = self.process.take().unwrap_or_else(new);
        let deadline = sweeper.now().plus(INVOCATION);
        let Some(swept) = line
            .invoke(place, INVOCATION, sweeper.sweep(deadline))
            .await
        else {
            return false;
        };
        self.process = Some((line, sweeper));
        let Ok(swept) = swept else {
            return false;
        };
        let clear =
            swept.complete && swept.oldest_undelivered.is_none() && swept.oldest_due.is_none();
        if !clear {
            let rows = swept.rows;
            let (finished, delivered) = (
                swept.operations.succeeded + swept.operations.failed,
                rows.delivered,
            );
            let text = format!(
                "sweeps: {finished} operations finished, {delivered} events delivered, {} left",
                rows.left
            );
            world.note(Who::Sweep, What::Notes(text));
        }
        clear
    }
}
