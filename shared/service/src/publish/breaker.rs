//! A sink that is down is left alone for a while.

use std::time::Duration;

use decide_once_protocol::time::Timestamp;

/// Opens after a row of requests that brought no verdict on any event, and lets one through after a while to see.
#[derive(Debug)]
pub(super) struct Breaker {
    state: State,
    failures: u32,
    cool_down: Duration,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Requests pass; so many have failed since the last that did not.
    Closed { failed: u32 },
    /// None passes until the sink has been left alone for long enough.
    Open { since: Timestamp },
    /// One is under way to see. If it does not come back (its invocation was frozen), another one goes after a while.
    HalfOpen { since: Timestamp },
}

impl Breaker {
    pub(super) const fn new(failures: u32, cool_down: Duration) -> Self {
        Self {
            state: State::Closed { failed: 0 },
            failures,
            cool_down,
        }
    }

    /// Whether a request may be sent now. After each one that may, tell what became of it.
    pub(super) fn admits(&mut self, now: Timestamp) -> bool {
        match self.state {
            State::Closed { .. } => true,
            State::Open { since } | State::HalfOpen { since } => {
                // A clock that was set back must not keep it open for as long again.
                let cooled = now < since || since.until(now) >= self.cool_down;
                if cooled {
                    self.state = State::HalfOpen { since: now };
                }
                cooled
            }
        }
    }

    /// The sink had a verdict on at least one event.
    pub(super) const fn answered(&mut self) {
        self.state = State::Closed { failed: 0 };
    }

    /// It had none on any.
    pub(super) const fn failed(&mut self, now: Timestamp) {
        self.state = match self.state {
            State::Closed { failed } if failed + 1 < self.failures => {
                State::Closed { failed: failed + 1 }
            }
            State::Closed { .. } | State::HalfOpen { .. } => State::Open { since: now },
            open @ State::Open { .. } => open,
        };
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    const COOL_DOWN: Duration = Duration::from_secs(5);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_796_083_200_000 + seconds * 1_000).unwrap()
    }

    fn open(since: i64) -> Breaker {
        let mut breaker = Breaker::new(2, COOL_DOWN);
        breaker.failed(at(since));
        assert!(breaker.admits(at(since)), "one failure is none");
        breaker.failed(at(since));
        breaker
    }

    #[test]
    fn one_request_tries_after_a_while_and_closes_or_opens_it() {
        let mut breaker = open(0);
        assert!(!breaker.admits(at(0)) && !breaker.admits(at(4)));
        assert!(breaker.admits(at(5)), "one may see");
        assert!(!breaker.admits(at(5)), "one only");
        breaker.failed(at(6));
        assert!(!breaker.admits(at(10)));
        assert!(breaker.admits(at(11)));
        breaker.answered();
        assert!(breaker.admits(at(11)) && breaker.admits(at(11)));
    }

    #[test]
    fn an_answer_in_between_begins_the_count_anew() {
        let mut breaker = Breaker::new(2, COOL_DOWN);
        for _ in 0..3 {
            breaker.failed(at(0));
            breaker.answered();
        }
        assert!(breaker.admits(at(0)));
    }

    #[test]
    fn a_late_failure_of_before_does_not_prolong_it() {
        let mut breaker = open(0);
        breaker.failed(at(4));
        assert!(breaker.admits(at(5)));
    }

    #[test]
    fn a_request_that_never_came_back_does_not_keep_it_half_open() {
        let mut breaker = open(0);
        assert!(breaker.admits(at(5)));
        assert!(!breaker.admits(at(9)));
        assert!(breaker.admits(at(10)));
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_keep_it_open() {
        let mut breaker = open(3_600);
        assert!(breaker.admits(at(0)));
    }
}
