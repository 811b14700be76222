//! How long to wait before a process is started again.

use std::time::Duration;

/// The wait after the first failed start.
const FIRST: Duration = Duration::from_millis(100);
/// The longest wait: whoever has repaired the cause (a table, a file) should not have to wait longer.
const LONGEST: Duration = Duration::from_secs(5);

/// Doubling waits between starts that fail.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// The wait before the next start. A process that had got as far as to ask for work is replaced at once, as Lambda does: it cannot die
    /// in a tight loop, since each death takes a call or a kill.
    pub(super) fn after_exit(&mut self, asked_for_work: bool) -> Duration {
        if asked_for_work {
            self.failures = 0;
            return Duration::ZERO;
        }
        let wait = FIRST
            .saturating_mul(2_u32.saturating_pow(self.failures))
            .min(LONGEST);
        self.failures += 1;
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_start_again_after_a_process_that_worked() {
        let mut backoff = Backoff::default();
        let waits: Vec<_> = (0..7)
            .map(|_| backoff.after_exit(false).as_millis())
            .collect();
        assert_eq!(waits, [100, 200, 400, 800, 1_600, 3_200, 5_000]);
        assert_eq!(backoff.after_exit(true), Duration::ZERO);
        assert_eq!(backoff.after_exit(false), FIRST);
    }
}
