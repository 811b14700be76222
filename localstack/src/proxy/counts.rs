//! Calls by API operation, since the start and since a mark.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

/// How many single calls are remembered: enough for a test or a person's look back, bounded for a stack that runs for
/// days.
const LOG_LENGTH: usize = 4_096;

/// How many calls, and how many bytes of request bodies they carried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counted {
    /// Number of calls, counted when they arrive.
    pub calls: u64,
    /// Sum of their request bodies in bytes.
    pub request_bytes: u64,
}

/// One call to the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// The API operation, as `PutItem`.
    pub operation: String,
    /// Length of the request body in bytes.
    pub request_bytes: u64,
    /// HTTP status of the answer; `None` while the call runs, or when its caller got no answer.
    pub status: Option<u16>,
}

/// A point between two calls.
#[derive(Debug, Clone, Default)]
pub struct Mark {
    sequence: u64,
    totals: BTreeMap<String, Counted>,
}

/// Calls that arrived after a mark.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Calls {
    /// Counts by API operation; exact.
    pub by_operation: BTreeMap<String, Counted>,
    /// The single calls in order of arrival; the oldest may be missing.
    pub log: Vec<Call>,
    /// Whether `log` misses calls that `by_operation` counts.
    pub log_truncated: bool,
}

impl Calls {
    /// All operations together.
    pub fn total(&self) -> Counted {
        self.by_operation
            .values()
            .fold(Counted::default(), |sum, counted| Counted {
                calls: sum.calls + counted.calls,
                request_bytes: sum.request_bytes + counted.request_bytes,
            })
    }

    /// Number of calls of one operation.
    pub fn of(&self, operation: &str) -> u64 {
        self.by_operation
            .get(operation)
            .map_or(0, |counted| counted.calls)
    }
}

/// The proxy's counters.
#[derive(Debug, Default)]
pub(super) struct Counts {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    totals: BTreeMap<String, Counted>,
    /// The newest calls; the first one's sequence number is `next_sequence - log.len()`.
    log: VecDeque<Call>,
    next_sequence: u64,
}

/// Names a call whose answer is still to be noted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival(u64);

impl Counts {
    pub(super) fn arrived(&self, operation: &str, request_bytes: usize) -> Arrival {
        let request_bytes = u64::try_from(request_bytes).unwrap_or(u64::MAX);
        let mut inner = self.inner();
        let counted = inner.totals.entry(operation.to_owned()).or_default();
        counted.calls += 1;
        counted.request_bytes += request_bytes;
        if inner.log.len() == LOG_LENGTH {
            inner.log.pop_front();
        }
        inner.log.push_back(Call {
            operation: operation.to_owned(),
            request_bytes,
            status: None,
        });
        let sequence = inner.next_sequence;
        inner.next_sequence += 1;
        Arrival(sequence)
    }

    pub(super) fn answered(&self, Arrival(sequence): Arrival, status: u16) {
        let mut inner = self.inner();
        let first = inner.first_sequence();
        let call = sequence
            .checked_sub(first)
            .and_then(|index| usize::try_from(index).ok())
            .and_then(|index| inner.log.get_mut(index));
        if let Some(call) = call {
            call.status = Some(status);
        }
    }

    pub(super) fn mark(&self) -> Mark {
        let inner = self.inner();
        Mark {
            sequence: inner.next_sequence,
            totals: inner.totals.clone(),
        }
    }

    pub(super) fn since(&self, mark: &Mark) -> Calls {
        let inner = self.inner();
        let by_operation = inner
            .totals
            .iter()
            .filter_map(|(operation, now)| {
                let then = mark.totals.get(operation).copied().unwrap_or_default();
                let since = Counted {
                    calls: now.calls - then.calls,
                    request_bytes: now.request_bytes - then.request_bytes,
                };
                (since.calls > 0).then(|| (operation.clone(), since))
            })
            .collect();
        let first = inner.first_sequence();
        let skip = usize::try_from(mark.sequence.saturating_sub(first)).unwrap_or(usize::MAX);
        Calls {
            by_operation,
            log: inner.log.iter().skip(skip).cloned().collect(),
            log_truncated: mark.sequence < first,
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn first_sequence(&self) -> u64 {
        let length = u64::try_from(self.log.len()).unwrap_or(u64::MAX);
        self.next_sequence.saturating_sub(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_separates_what_was_before_from_what_came_after() {
        let counts = Counts::default();
        counts.arrived("GetItem", 10);
        let mark = counts.mark();
        let put = counts.arrived("PutItem", 100);
        counts.arrived("GetItem", 20);
        counts.answered(put, 400);

        let calls = counts.since(&mark);
        assert_eq!(calls.of("GetItem"), 1);
        assert_eq!(calls.total().calls, 2);
        assert_eq!(calls.total().request_bytes, 120);
        assert_eq!(calls.log.len(), 2);
        assert_eq!(calls.log[0].status, Some(400));
        assert_eq!(calls.log[1].status, None);
        assert_eq!(counts.since(&Mark::default()).total().calls, 3);
    }

    #[test]
    fn a_long_run_forgets_single_calls_but_no_count() {
        let counts = Counts::default();
        let first = counts.arrived("GetItem", 1);
        let mark = counts.mark();
        for _ in 0..LOG_LENGTH + 5 {
            counts.arrived("PutItem", 1);
        }
        counts.answered(first, 200);

        let calls = counts.since(&mark);
        assert_eq!(calls.of("PutItem"), LOG_LENGTH as u64 + 5);
        assert_eq!(calls.log.len(), LOG_LENGTH);
        assert!(calls.log_truncated);
    }
}
