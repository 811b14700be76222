//! The decide function's processes: each takes one call at a time, lives on between calls, and remembers answers.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use decide_once_service::limits::Limits;
use decide_once_service::ports::Clock as _;
use decide_once_service::reply::Outcome;
use decide_once_service::settings::{SHORTEST_CALL, Settings};
use decide_once_service::{Answers, Budget, Call, Decider};
use decide_once_tests::fixtures::CountingIds;

use crate::chance::{Place, Who};
use crate::clock::SimulatedClock;
use crate::line::{INVOCATION, Line};
use crate::policies;
use crate::world::World;

/// A worker of the decide path, whichever function it is.
pub(crate) type Worker = Decider<Line, SimulatedClock, CountingIds>;

/// When the second release of the policies is rolled out: processes that start later have it active.
const ROLLOUT: Duration = Duration::from_secs(20);

/// Processes that wait for a call.
#[derive(Debug, Default)]
pub(crate) struct Fleet(Mutex<Vec<Worker>>);

/// A new process that decides.
pub(crate) fn worker(world: &Arc<World>, who: Who, place: Place) -> Worker {
    let second = world.clock.elapsed() > ROLLOUT;
    Decider {
        store: Line::new(world, who),
        clock: world.clock_of(place),
        ids: world.ids.clone(),
        policies: policies::release(second),
        settings: Settings {
            lease_cap: world.plan.weather.lease,
            ..Settings::default()
        },
        limits: Limits::default(),
        answers: Answers::holding(64),
    }
}

impl World {
    /// A call that reaches a process; `None` if the process dies in it.
    pub(crate) async fn decide(
        self: &Arc<Self>,
        call: &Call,
        wait: Duration,
        place: Place,
    ) -> Option<Outcome> {
        let worker = self.take_worker(place);
        let line = worker.store.clone();
        let hurry = self.goes_wrong(place, "it has hardly any time", self.plan.weather.hurry);
        let time = if hurry {
            SHORTEST_CALL
                + Duration::from_millis(1 + self.draw(place, "time").below(self.plan.weather.band))
        } else {
            INVOCATION
        };
        let budget = Budget {
            deadline: worker.clock.now().plus(time),
            wait,
        };
        let outcome = line
            .invoke(place, time, worker.decide(call, budget))
            .await?;
        self.fleet
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(worker);
        Some(outcome)
    }

    /// One that waits, or a new one.
    fn take_worker(self: &Arc<Self>, place: Place) -> Worker {
        let mut idle = self.fleet.0.lock().unwrap_or_else(PoisonError::into_inner);
        let nth = self.draw(place, "worker").below(4);
        match usize::try_from(nth) {
            Ok(nth) if nth < idle.len() => idle.remove(nth),
            Ok(_) | Err(_) => {
                drop(idle);
                worker(self, place.who, place)
            }
        }
    }
}
