//! A simulation from its beginning to its end, on one screen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use decide_once_protocol::decision::DecisionItem;
use decide_once_protocol::outbox::{Delivery, Marker, OutboxRow};
use decide_once_protocol::record::Record;
use decide_once_service::jitter;
use decide_once_service::ports::{Clock as _, Outbox as _};
use tokio::runtime;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::chance::{Place, Who};
use crate::clients;
use crate::journal::{Entry, What, short};
use crate::plan::{Ask, Plan};
use crate::workers::{self, Sweeps};
use crate::world::World;

/// Asks from this number on are made when all is calm, to see what stands.
pub(crate) const AUDIT: u16 = 10_000;

/// How often the sweeper runs in an act, and every how long.
const SWEEPS: u32 = 3;
const EVERY: Duration = Duration::from_secs(75);

/// In calm weather everything comes to rest within so many sweeps.
const PATIENCE: u32 = 20;

/// What was observed, and what stands at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What was asked for.
    pub plan: Plan,
    /// The journal.
    pub entries: Vec<Entry>,
    /// The tables.
    pub end: End,
}

/// What stands at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Operation records.
    pub operations: Vec<Record>,
    /// Decisions.
    pub decisions: Vec<DecisionItem>,
    /// The outbox.
    pub rows: Vec<OutboxRow>,
    /// What the first consumer keeps of each subject.
    pub numbers: BTreeMap<String, i64>,
    /// How many effects the second one has had.
    pub effects: usize,
    /// Whether everything came to rest.
    pub at_rest: bool,
}

/// Runs a plan.
///
/// # Panics
/// No runtime can be made.
#[must_use]
pub fn simulate(plan: &Plan) -> Run {
    jitter::seed(plan.seed);
    let runtime = runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    let Ok(runtime) = runtime else {
        panic!("no runtime can be made");
    };
    let (world, at_rest) = runtime.block_on(play(plan.clone()));
    Run {
        plan: plan.clone(),
        entries: world.journal.take(),
        end: End {
            operations: world.store.operations(),
            decisions: world.store.decisions(),
            rows: world.store.rows(),
            numbers: numbers(&world),
            effects: world.desk.effects(),
            at_rest,
        },
    }
}

async fn play(plan: Plan) -> (Arc<World>, bool) {
    let world = World::new(plan);
    workers::begin(&world);
    let mut sweeps = Sweeps::new(&world);
    for (act, begins) in world.plan.acts.iter().enumerate() {
        world.until(*begins).await;
        world.note(Who::World, What::Act(act));
        if world
            .draw(Place::invocation(Who::World, 1), "TTL")
            .percent(50)
        {
            world.expires(world.clock.now());
        }
        let mut asking = JoinSet::new();
        for ask in world.plan.asks.iter().filter(|ask| ask.act == act) {
            asking.spawn(enters(Arc::clone(&world), ask.clone()));
        }
        for _ in 0..SWEEPS {
            sleep(EVERY).await;
            sweeps.sweep().await;
        }
        asking.join_all().await;
    }
    world.calms_down();
    let at_rest = comes_to_rest(&world, &mut sweeps).await;
    audit(&world).await;
    let at_rest = at_rest && comes_to_rest(&world, &mut sweeps).await;
    (world, at_rest)
}

async fn enters(world: Arc<World>, ask: Ask) {
    sleep(ask.after).await;
    clients::ask(world, ask).await;
}

/// Streams, queues and sweeper do what is left, and the operator has sent again what was set aside.
pub(crate) async fn comes_to_rest(world: &Arc<World>, sweeps: &mut Sweeps) -> bool {
    for round in 0..PATIENCE {
        redrive(world, round);
        sleep(2 * EVERY).await;
        let clear = sweeps.sweep().await;
        let delivered = |row: &OutboxRow| matches!(row.delivery, Delivery::Delivered { .. });
        if clear && world.is_idle() && world.store.rows().iter().all(delivered) {
            return true;
        }
    }
    false
}

fn redrive(world: &World, round: u32) {
    let rows = world.store.rows();
    let aside = rows
        .iter()
        .filter(|row| matches!(row.delivery, Delivery::Quarantined { .. }));
    for row in aside {
        let fresh = Marker {
            since: world.clock.now(),
            number: u16::try_from(100 + round).unwrap_or(999).into(),
        };
        let marked = world.mark(
            &row.event.id,
            None,
            world.store.redrive(&row.event.id, fresh),
        );
        world.note(
            Who::World,
            What::Notes(format!(
                "{} is redriven: {marked:?}",
                short(row.event.id.as_str())
            )),
        );
    }
}

/// Asks for everything of the last act once more.
async fn audit(world: &Arc<World>) {
    let last = world.plan.acts.len() - 1;
    let asked: BTreeSet<_> = world
        .plan
        .asks
        .iter()
        .filter(|ask| ask.act == last)
        .map(|ask| (ask.key, ask.request.clone()))
        .collect();
    for (number, (key, request)) in (AUDIT..).zip(asked) {
        let ask = Ask {
            number,
            act: last,
            after: Duration::ZERO,
            key,
            request,
            later: false,
            wait: Duration::ZERO,
        };
        clients::ask(Arc::clone(world), ask).await;
    }
}

pub(crate) fn numbers(world: &World) -> BTreeMap<String, i64> {
    let subjects =
        (0..2).flat_map(|subject| ["sum", "count"].map(|what| format!("{what} of acct-{subject}")));
    subjects
        .filter_map(|name| {
            let number = world.store.number(&name)?;
            Some((name, number))
        })
        .collect()
}
