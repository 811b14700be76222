//! Latencies: all of them are kept, so that a quantile is one that was measured.

use std::{fmt, time::Duration};

/// Of a thousand, and its name.
const SHOWN: [(usize, &str); 5] = [
    (500, "p50"),
    (900, "p90"),
    (990, "p99"),
    (999, "p99.9"),
    (1_000, "max"),
];

/// Sorted.
#[derive(Debug)]
pub(crate) struct Quantiles(Vec<Duration>);

impl Quantiles {
    pub(crate) fn of(mut latencies: Vec<Duration>) -> Self {
        latencies.sort_unstable();
        Self(latencies)
    }

    /// The smallest latency that so many of a thousand do not exceed.
    fn at(&self, of_a_thousand: usize) -> Duration {
        let rank = (self.0.len() * of_a_thousand).div_ceil(1_000);
        let index = rank.saturating_sub(1);
        self.0.get(index).copied().unwrap_or_default()
    }
}

impl fmt::Display for Quantiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (of_a_thousand, name) in SHOWN {
            let ms = self.at(of_a_thousand).as_secs_f64() * 1_000.0;
            write!(f, "{name} {ms:.1} ms  ")?;
        }
        write!(f, "({} values)", self.0.len())
    }
}
