//! What one line measures.

use std::fmt;
use std::time::Duration;

use super::{Metric, Unit, emf};

/// What one line measures: each metric once at most. Its text is what the line has of it, in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Meter(Vec<(Metric, Values)>);

/// What was measured of a metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Values {
    One(u64),
    Each(Vec<u64>),
}

impl Meter {
    /// So many times. Never is left out: a metric costs nothing in an hour in which it has no data.
    pub fn count(self, metric: Metric, times: u32) -> Self {
        if times == 0 {
            return self;
        }
        self.and(metric, Values::One(times.into()))
    }

    /// A number that means something when it is zero, too.
    pub fn number(self, metric: Metric, number: u32) -> Self {
        self.and(metric, Values::One(number.into()))
    }

    /// A time, in the metric's unit; nothing if there is none.
    pub fn time(self, metric: Metric, span: impl Into<Option<Duration>>) -> Self {
        match span.into() {
            Some(span) => self.and(metric, Values::One(in_units(metric, span))),
            None => self,
        }
    }

    /// Several times; of more than a metric may have in a line the longest.
    pub fn times(self, metric: Metric, spans: &[Duration]) -> Self {
        if spans.is_empty() {
            return self;
        }
        let mut each: Vec<_> = spans.iter().map(|span| in_units(metric, *span)).collect();
        each.sort_unstable_by(|one, other| other.cmp(one));
        each.truncate(emf::MOST_VALUES);
        self.and(metric, Values::Each(each))
    }

    /// What the other measures as well.
    pub fn with(mut self, other: Self) -> Self {
        for (metric, values) in other.0 {
            self = self.and(metric, values);
        }
        self
    }

    fn and(mut self, metric: Metric, values: Values) -> Self {
        // A name is a member: the same one twice would be no JSON that has one meaning.
        self.0.retain(|(other, _)| *other != metric);
        self.0.push((metric, values));
        self
    }

    pub(super) fn metrics(&self) -> impl Iterator<Item = (Metric, &Values)> {
        self.0.iter().map(|(metric, values)| (*metric, values))
    }
}

fn in_units(metric: Metric, span: Duration) -> u64 {
    let whole = match metric.unit() {
        Unit::Microseconds => span.as_micros(),
        Unit::Milliseconds => span.as_millis(),
        Unit::Seconds | Unit::Count => span.as_secs().into(),
    };
    u64::try_from(whole).unwrap_or(u64::MAX)
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(value) => write!(f, "{value}"),
            Self::Each(values) => {
                let mut separator = "[";
                for value in values {
                    write!(f, "{separator}{value}")?;
                    separator = ",";
                }
                f.write_str("]")
            }
        }
    }
}
