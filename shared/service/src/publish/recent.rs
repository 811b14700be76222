//! What this process has done behind a failure: the stream hands it in once more, and it need not be sent once more.

use std::collections::{HashSet, VecDeque};

use decide_once_protocol::ids::EventId;
use decide_once_protocol::outbox::Marker;

/// The most that is remembered: one batch, as large as Lambda makes one.
const MOST: usize = 10_000;

/// A row and the marker that it was sent and marked under. A redriven row has another marker, and is another matter.
type Done = (EventId, Marker);

/// Saves duplicates and nothing else: without it, or in another process, the same events are sent again with the same ids.
#[derive(Debug, Default)]
pub(super) struct Recent {
    known: HashSet<Done>,
    order: VecDeque<Done>,
}

impl Recent {
    pub(super) fn has(&self, event: &EventId, marker: Marker) -> bool {
        self.known.contains(&(event.clone(), marker))
    }

    /// Only what is marked is remembered: an acknowledgement alone leaves a row to be marked.
    pub(super) fn learn(&mut self, event: &EventId, marker: Marker) {
        let done = (event.clone(), marker);
        if !self.known.insert(done.clone()) {
            return;
        }
        self.order.push_back(done);
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use decide_once_protocol::ids::DecisionId;
    use decide_once_protocol::time::Timestamp;

    use super::*;

    #[test]
    fn it_knows_a_row_by_its_marker_and_forgets_the_oldest() {
        let decision = DecisionId::from_random([1; 16]);
        let since = Timestamp::from_millis(1).unwrap();
        let marker = |number| Marker { since, number };
        let mut recent = Recent::default();
        recent.learn(&decision.event(0), marker(0));
        recent.learn(&decision.event(0), marker(0));
        assert!(recent.has(&decision.event(0), marker(0)));
        assert!(!recent.has(&decision.event(0), marker(1)), "redriven");
        for index in 1..=u32::try_from(MOST).unwrap() {
            recent.learn(&decision.event(index), marker(0));
        }
        assert!(!recent.has(&decision.event(0), marker(0)));
        assert!(recent.has(&decision.event(1), marker(0)));
        assert_eq!(recent.known.len(), MOST);
    }
}
