//! What an answer takes, counted where it is spent.

use std::future::Future;
use std::time::{Duration, Instant};

use crate::course::Course;
use crate::metrics::{Meter, Metric};

/// Round trips and time. What is left of the whole is parsing, hashing, waiting for others and rendering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// How many calls the store was asked for. One that the SDK sends again is one.
    pub round_trips: u32,
    /// The time until they were answered, or given up.
    pub store: Duration,
    /// The time that the policy took.
    pub evaluate: Duration,
    /// What was met on the way.
    pub course: Course,
}

impl Effort {
    /// Counts a call to the store.
    pub async fn ask<T>(&mut self, call: impl Future<Output = T>) -> T {
        self.round_trips += 1;
        let begun = Instant::now();
        let answer = call.await;
        self.store += begun.elapsed();
        answer
    }

    /// What is measured of a call that took `total`.
    pub fn meter(&self, total: Duration) -> Meter {
        Meter::default()
            .number(Metric::RoundTrips, self.round_trips)
            .time(Metric::Total, total)
            .time(Metric::Store, self.store)
            .time(Metric::Evaluate, self.evaluate)
            .with(self.course.meter())
    }

    /// Measures an evaluation.
    pub(crate) fn evaluating<T>(&mut self, evaluate: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let evaluated = evaluate();
        self.evaluate += begun.elapsed();
        evaluated
    }
}
