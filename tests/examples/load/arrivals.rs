//! When somebody asks, and for what.

use std::time::Duration;

use decide_once_tests::{history::History, orders::Order, seed::Seed};

/// 2^53: a double has so many whole numbers.
const STEPS: u64 = 1 << 53;

/// What an arrival asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asks {
    /// A first request: 70 of 100.
    First,
    /// The same again, later: 25.
    Again,
    /// Two callers of one key at once: 3.
    AtOnce,
    /// Something else under a key that is decided: 2.
    Other,
}

/// A Poisson process: what has arrived says nothing of what is to come.
#[derive(Debug)]
pub(crate) struct Arrivals {
    seed: Seed,
    /// Seconds between two arrivals, on average.
    mean: f64,
    next: usize,
}

impl Arrivals {
    pub(crate) fn new(seed: u64, rate: u32) -> Self {
        Self {
            seed: Seed::new(seed),
            mean: 1.0 / f64::from(rate),
            next: 0,
        }
    }

    /// How long after the one before it the next one comes.
    pub(crate) fn gap(&mut self) -> Duration {
        // Above 0, up to 1: the logarithm of 0 would be for ever.
        let part = self.seed.below(STEPS) + 1;
        Duration::from_secs_f64(-self.mean * as_fraction(part).ln())
    }

    /// What it asks for.
    pub(crate) fn asks(&mut self, history: &History) -> (Asks, Order) {
        let asks = match self.seed.below(100) {
            ..70 => Asks::First,
            70..95 => Asks::Again,
            95..98 => Asks::AtOnce,
            _ => Asks::Other,
        };
        if matches!(asks, Asks::Again | Asks::Other) {
            // What nobody was told yet would be a race, or a first request.
            for _ in 0..8 {
                let known = u64::try_from(self.next).unwrap().max(1);
                let order = Order(usize::try_from(self.seed.below(known)).unwrap());
                if history.is_decided(order) {
                    return (asks, order);
                }
            }
            return (Asks::First, self.fresh(history));
        }
        (asks, self.fresh(history))
    }

    fn fresh(&mut self, history: &History) -> Order {
        let order = Order(self.next);
        self.next += 1;
        history.asked(order);
        order
    }
}

/// `part` of [`STEPS`].
fn as_fraction(part: u64) -> f64 {
    let (high, low) = (part >> 32, part & u64::from(u32::MAX));
    let whole = |half: u64| f64::from(u32::try_from(half).unwrap());
    (whole(high) * 4_294_967_296.0 + whole(low)) / 9_007_199_254_740_992.0
}
