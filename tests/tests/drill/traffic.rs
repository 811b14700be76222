//! Clients that do as answers tell them, and some that do not.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use decide_once_tests::{
    Stack,
    history::{History, Told},
    orders::Order,
    seed::Seed,
};
use tokio::time::sleep;

/// Of a hundred requests.
const FIRST: u64 = 45;
const LATER: u64 = FIRST + 12;
const QUEUED: u64 = LATER + 8;
const TWICE_AT_ONCE: u64 = QUEUED + 10;
const OTHER: u64 = TWICE_AT_ONCE + 5;
// The rest is asked again long after.

/// How long a client waits before it asks again, at most.
const PAUSE_MS: u64 = 120;

/// What all clients do, and what they are told.
#[derive(Clone)]
pub(crate) struct Traffic {
    stack: Arc<Stack>,
    history: Arc<History>,
    next: Arc<AtomicUsize>,
    counts: Arc<Mutex<BTreeMap<Told, u64>>>,
}

impl Traffic {
    pub(crate) fn new(stack: Arc<Stack>, history: Arc<History>) -> Self {
        Self {
            stack,
            history,
            next: Arc::default(),
            counts: Arc::default(),
        }
    }

    /// How often callers were told this.
    pub(crate) fn told(&self, told: Told) -> u64 {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.get(&told).copied().unwrap_or(0)
    }

    /// One client, for so long.
    pub(crate) async fn go_on(self, mut seed: Seed, lasts: Duration) {
        let end = Instant::now() + lasts;
        while Instant::now() < end {
            match seed.below(100) {
                ..FIRST => self.insist(self.fresh(), &mut seed, end).await,
                FIRST..LATER => {
                    let order = self.fresh();
                    let later = order.ask(&self.stack).header("prefer", "respond-async");
                    self.count(self.history.told(order, &later.try_send().await));
                }
                LATER..QUEUED => {
                    let order = self.fresh();
                    let message = self.stack.post("/_local/queues/intake").key(&order.key());
                    let _ = message.body(order.body()).send().await.expect(202);
                }
                QUEUED..TWICE_AT_ONCE => {
                    let order = self.fresh();
                    let (one, other) = tokio::join!(self.ask(order), self.ask(order));
                    if (one, other) != (Told::Decided, Told::Decided) {
                        self.insist(order, &mut seed, end).await;
                    }
                }
                TWICE_AT_ONCE..OTHER => {
                    let order = self.old(&mut seed);
                    // A key that is not decided may still be free: then this would be its request.
                    if self.history.is_decided(order) {
                        let other = self.stack.decide(&order.key(), &order.other_body());
                        let answer = other.try_send().await;
                        self.count(self.history.told_other(order, &answer));
                    }
                }
                _ => {
                    let order = self.old(&mut seed);
                    self.ask(order).await;
                }
            }
        }
    }

    fn fresh(&self) -> Order {
        let order = Order(self.next.fetch_add(1, Ordering::Relaxed));
        self.history.asked(order);
        order
    }

    /// One that somebody has asked for, or is about to.
    fn old(&self, seed: &mut Seed) -> Order {
        let known = u64::try_from(self.next.load(Ordering::Relaxed)).unwrap();
        let number = seed.below(known.max(1));
        let order = Order(usize::try_from(number).unwrap());
        self.history.asked(order);
        order
    }

    /// Asks again and again, as the advice says.
    async fn insist(&self, order: Order, seed: &mut Seed, end: Instant) {
        while self.ask(order).await != Told::Decided && Instant::now() < end {
            sleep(Duration::from_millis(seed.below(PAUSE_MS))).await;
        }
    }

    async fn ask(&self, order: Order) -> Told {
        let answer = order.ask(&self.stack).try_send().await;
        let told = self.history.told(order, &answer);
        self.count(told);
        told
    }

    fn count(&self, told: Told) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(told).or_default() += 1;
    }
}

impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        write!(f, "answers: {counts:?}")
    }
}
