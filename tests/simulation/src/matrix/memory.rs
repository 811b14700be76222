//! The simulation's answers: one operation in calm weather, one crash, one return.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use decide_once_client::advice::{self, Advice};
use decide_once_service::{Call, Respond, jitter};
use decide_once_tests::fixtures;
use tokio::runtime;
use tokio::time::sleep;

use super::{Cell, Kept, LEASE_LAPSES, Moment};
use crate::chance::{Place, Who};
use crate::clients::told;
use crate::plan::{Crash, Kind, Part, Plan, Request};
use crate::policies::{KEY, RESULT};
use crate::simulate::{comes_to_rest, numbers};
use crate::weather::Weather;
use crate::workers::{self, Sweeps};
use crate::world::World;

/// Its event adds this much, so that effects can be counted.
const AMOUNT: u32 = 100;

/// Streams and queues have come to the crash by then, and to what follows it.
const SOON: Duration = Duration::from_secs(4);

/// A caller that comes back more often than that is not advised well.
const MOST: usize = 4;

/// What comes of a crash and a return at this moment.
///
/// # Panics
/// The crash does not happen, or nothing comes to rest.
#[must_use]
pub fn cell(crash: Crash, moment: Moment) -> Cell {
    let plan = Plan {
        seed: 0,
        acts: Vec::new(),
        asks: Vec::new(),
        weather: Weather::calm(),
        without: BTreeSet::new(),
        bug: None,
        crash: Some(crash),
    };
    jitter::seed(0);
    let runtime = runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    let Ok(runtime) = runtime else {
        panic!("no runtime can be made");
    };
    runtime.block_on(play(plan, crash.part, moment))
}

async fn play(plan: Plan, part: Part, moment: Moment) -> Cell {
    let world = World::new(plan);
    workers::begin(&world);
    let mut caller = Caller::new(&world);
    let respond = if part == Part::Evaluate {
        Respond::Later
    } else {
        Respond::Now
    };
    caller.posts(respond).await;
    if !world.has_had_its_crash() {
        sleep(SOON).await;
    }
    assert!(world.has_had_its_crash(), "nobody got to the point");
    let kept = Kept {
        result: RESULT,
        key: KEY,
    };
    sleep(moment.after(kept)).await;
    let mut told = Vec::new();
    loop {
        let (answer, advice) = caller.posts(Respond::Now).await;
        told.push(answer);
        if advice != Advice::SameKey || told.len() == MOST {
            break;
        }
        sleep(LEASE_LAPSES).await;
    }
    assert!(
        comes_to_rest(&world, &mut Sweeps::new(&world)).await,
        "something does not come to rest"
    );
    let sum: i64 = numbers(&world).values().sum();
    Cell {
        told,
        decisions: world.store.decisions().len(),
        events: world.store.rows().len(),
        effects: usize::try_from(sum / i64::from(AMOUNT)).unwrap_or(0),
    }
}

struct Caller<'a> {
    world: &'a Arc<World>,
    call: Call,
    posts: u32,
}

impl<'a> Caller<'a> {
    fn new(world: &'a Arc<World>) -> Self {
        let request = Request {
            kind: Kind::Plain,
            amount: AMOUNT,
            subject: 0,
            version: None,
        };
        Self {
            world,
            call: fixtures::call("t-sim", "k-0", &request.body()),
            posts: 0,
        }
    }

    /// Posts, and tells the answer with what it advises. The gateway answers for a process that died.
    async fn posts(&mut self, respond: Respond) -> (String, Advice) {
        self.posts += 1;
        self.call.respond = respond;
        let place = Place::invocation(Who::Decide(0), self.posts);
        match self.world.decide(&self.call, Duration::ZERO, place).await {
            None => ("502".to_owned(), advice::of(502, None)),
            Some(outcome) => {
                let told = told(&outcome);
                let advised = advice::of(told.status, told.retry.as_deref());
                let code = told.code.map(|code| format!(" {code}")).unwrap_or_default();
                (format!("{}{code}", told.status), advised)
            }
        }
    }
}
