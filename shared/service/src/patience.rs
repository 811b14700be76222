//! Waiting: for another worker, and before a write is sent again.

use std::time::Duration;

use crate::jitter::jittered;
use crate::settings::SHORTEST_CALL;

/// The first pause; each later one is twice as long, up to the longest.
const FIRST: Duration = Duration::from_millis(25);
const LONGEST: Duration = Duration::from_millis(500);

/// How long a competing caller still waits. Polls are strong reads; they never write.
#[derive(Debug)]
pub(crate) struct Patience {
    left: Duration,
    next: Duration,
}

impl Patience {
    pub(crate) const fn new(wait: Duration) -> Self {
        Self {
            left: wait,
            next: FIRST,
        }
    }

    /// The next pause before a poll; `None` when patience is at its end, or the call's time, of which this much is left.
    pub(crate) fn next_pause(&mut self, time_left: Duration) -> Option<Duration> {
        let pause = self.next.min(self.left);
        if pause.is_zero() || time_left < pause + SHORTEST_CALL {
            return None;
        }
        self.left -= pause;
        self.next = (self.next * 2).min(LONGEST);
        Some(jittered(pause))
    }
}

/// The sends of one write. What has to go out again waits first, each time twice as long: a transaction that meets a crowd
/// of duplicates conflicts with them, and they are gone in a moment.
#[derive(Debug, Default)]
pub(crate) struct Sends(u32);

impl Sends {
    /// Before each send.
    pub(crate) async fn pause(&mut self) {
        if let Some(pause) = self.next() {
            tokio::time::sleep(jittered(pause)).await;
        }
    }

    fn next(&mut self) -> Option<Duration> {
        let resends = self.0;
        self.0 += 1;
        (resends > 0).then(|| (FIRST * 2_u32.saturating_pow(resends)).min(LONGEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends_with_the_wait_or_with_the_invocation() {
        let long = Duration::from_secs(30);
        let mut patience = Patience::new(Duration::from_millis(60));
        assert!(
            patience
                .next_pause(long)
                .is_some_and(|pause| pause <= FIRST)
        );
        assert!(patience.next_pause(long).is_some());
        assert_eq!(patience.next_pause(long), None);
        assert_eq!(Patience::new(Duration::ZERO).next_pause(long), None);
        let mut patience = Patience::new(long);
        assert_eq!(patience.next_pause(SHORTEST_CALL), None);
        assert!(patience.next_pause(SHORTEST_CALL + FIRST).is_some());
    }

    #[test]
    fn a_write_goes_out_at_once_and_again_after_ever_longer_pauses() {
        let mut sends = Sends::default();
        let pauses: Vec<_> = (0..7).map(|_| sends.next()).collect();
        let millis = |millis| Some(Duration::from_millis(millis));
        assert_eq!(pauses[..4], [None, millis(50), millis(100), millis(200)]);
        assert_eq!(pauses[6], Some(LONGEST));
    }
}
