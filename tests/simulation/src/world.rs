//! What everything in a simulation stands on: time, chance, tables, streams, and the journal of it all.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use decide_once_protocol::record::Record;
use decide_once_protocol::scope::OperationId;
use decide_once_service::memory::MemoryStore;
use decide_once_service::publish::Change;
use decide_once_tests::fixtures::CountingIds;
use decide_once_tests::seed::Seed;

use futures_util::FutureExt as _;

use crate::chance::{Chance, Place, Who};
use crate::clock::SimulatedClock;
use crate::desk::Desk;
use crate::fleet::Fleet;
use crate::journal::{Journal, What};
use crate::plan::Plan;
use crate::streams::Stream;
use crate::weather::Fault;

/// A simulation under way.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) plan: Plan,
    pub(crate) clock: SimulatedClock,
    pub(crate) ids: CountingIds,
    pub(crate) store: MemoryStore,
    /// Of the table `operations`: what is newly queued.
    pub(crate) operations: Stream<OperationId>,
    /// Of the table `outbox`.
    pub(crate) outbox: Stream<Change>,
    pub(crate) fleet: Fleet,
    pub(crate) desk: Desk,
    pub(crate) journal: Journal,
    /// Messages that no consumer has acknowledged.
    pub(crate) messages: AtomicUsize,
    /// What stood there before the last write, where [`Bug::ReadsBehind`](crate::bug::Bug::ReadsBehind).
    pub(crate) behind: Mutex<BTreeMap<OperationId, Box<Record>>>,
    /// The plan's crash has happened.
    crashed: AtomicBool,
    numbers: AtomicU32,
    calm: AtomicBool,
    /// What people call an operation.
    names: Mutex<BTreeMap<OperationId, String>>,
}

impl World {
    /// Before anything has happened. In a runtime whose time is paused.
    pub(crate) fn new(plan: Plan) -> Arc<Self> {
        Arc::new(Self {
            plan,
            clock: SimulatedClock::begins(),
            ids: CountingIds::default(),
            store: MemoryStore::new(),
            operations: Stream::default(),
            outbox: Stream::default(),
            fleet: Fleet::default(),
            desk: Desk::default(),
            journal: Journal::default(),
            messages: AtomicUsize::new(0),
            behind: Mutex::default(),
            crashed: AtomicBool::new(false),
            numbers: AtomicU32::new(0),
            calm: AtomicBool::new(false),
            names: Mutex::default(),
        })
    }

    /// Tells the journal.
    pub(crate) fn note(&self, who: Who, what: What) {
        self.journal.note(self.clock.elapsed(), who, what);
    }

    /// Nothing goes wrong from now on.
    pub(crate) fn calms_down(&self) {
        self.calm.store(true, Ordering::Relaxed);
        self.note(Who::World, What::Calm);
    }

    /// Whether nothing goes wrong any more.
    pub(crate) fn is_calm(&self) -> bool {
        self.calm.load(Ordering::Relaxed)
    }

    /// What is drawn for a purpose, in any weather.
    pub(crate) fn draw(&self, place: Place, purpose: &str) -> Seed {
        Chance::of(self.plan.seed).at(place, purpose)
    }

    /// The fault that a call meets, if it meets one.
    pub(crate) fn fault(&self, place: Place, call: &'static str) -> Option<Fault> {
        if self.is_spared(place) {
            return None;
        }
        let fault = self.plan.weather.fault(&mut self.draw(place, call))?;
        self.note(place.who, What::Meets(call, fault, place));
        Some(fault)
    }

    /// Whether something goes wrong that does so that many times in a thousand.
    pub(crate) fn goes_wrong(&self, place: Place, what: &'static str, often: u64) -> bool {
        let wrong = !self.is_spared(place) && self.draw(place, what).below(1_000) < often;
        if wrong {
            self.note(place.who, What::Mishap(what, place));
        }
        wrong
    }

    fn is_spared(&self, place: Place) -> bool {
        self.is_calm() || self.plan.without.contains(&place)
    }

    /// Does something beside everything else. A panic in it ends up in the journal, and is a violation.
    pub(crate) fn spawn(self: &Arc<Self>, work: impl Future<Output = ()> + Send + 'static) {
        let world = Arc::clone(self);
        tokio::spawn(async move {
            if AssertUnwindSafe(work).catch_unwind().await.is_err() {
                world.note(Who::World, What::Panics);
            }
        });
    }

    /// The crash point at which an invocation of this process ends, if it gets there.
    pub(crate) fn dies_at(&self, who: Who) -> Option<&'static str> {
        let crash = self.plan.crash?;
        (crash.part.has(who) && !self.has_had_its_crash()).then_some(crash.point)
    }

    /// A process is gone.
    pub(crate) fn has_crashed(&self, who: Who) {
        if self.plan.crash.is_some_and(|crash| crash.part.has(who)) {
            self.crashed.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the plan's crash has happened.
    pub(crate) fn has_had_its_crash(&self) -> bool {
        self.crashed.load(Ordering::Relaxed)
    }

    /// A number that nothing else has.
    pub(crate) fn number(&self) -> u32 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// The clock of a process, off by what chance says, and told.
    pub(crate) fn clock_of(&self, place: Place) -> SimulatedClock {
        let most = u64::try_from(self.plan.weather.skew.as_millis()).unwrap_or(0);
        let spared = self.plan.without.contains(&place);
        let off = self.draw(place, "clock").below(2 * most + 1);
        let ahead = if spared {
            0
        } else {
            signed(off) - signed(most)
        };
        self.note(place.who, What::Starts(ahead, place));
        self.clock.off_by(ahead)
    }

    /// What people call an operation from now on.
    pub(crate) fn name(&self, operation: OperationId, name: &str) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.entry(operation).or_insert_with(|| name.to_owned());
    }

    /// What people call an operation.
    pub(crate) fn name_of(&self, operation: &OperationId) -> String {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.get(operation).cloned().unwrap_or_default()
    }

    /// Nothing waits in a stream or a queue.
    pub(crate) fn is_idle(&self) -> bool {
        self.messages.load(Ordering::Relaxed) == 0
            && self.operations.is_empty()
            && self.outbox.is_empty()
    }

    /// Returns this long after the beginning.
    pub(crate) async fn until(&self, begins: Duration) {
        tokio::time::sleep_until(self.clock.after(begins)).await;
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
