//! How long things are kept: the result, the key, the decision.

use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);
/// A key must outlive any worker or delayed write (design.md §4): after an hour none can be alive.
const SHORTEST_KEY: Duration = HOUR;
/// Two clocks may differ by this much; a result must be gone by everybody's clock before its key is (design.md §3, expiry).
const MARGIN: Duration = Duration::from_secs(5 * 60);
/// Ten years: what lies further ahead in a record is taken for a mistake of units there.
const LONGEST: Duration = Duration::from_secs(3_650 * 24 * 3_600);

/// How long the outcome of a decision made under a policy is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// How long a retry gets the recorded answer.
    pub result: Duration,
    /// How long the key stays retired, counted from the same instant; longer than `result`.
    pub key: Duration,
    /// How long the decision and its natural-key claims are kept; `None` is for ever.
    pub decision: Option<Duration>,
}

impl Retention {
    /// From the policy's own spelling (`24h`, `400d`, `forever`).
    pub(crate) fn parse(result: &str, key: &str, decision: &str) -> Result<Self, String> {
        let result = duration("result", result)?;
        let key = duration("key", key)?;
        let decision = if decision == "forever" {
            None
        } else {
            Some(duration("decision", decision)?)
        };
        if result < MINUTE {
            return Err(
                "`result` is under 1m: a retry would hardly ever find its answer".to_owned(),
            );
        }
        if key < SHORTEST_KEY {
            return Err(
                "`key` is under 1h: a key must outlive any worker or delayed write".to_owned(),
            );
        }
        if key < result + MARGIN {
            return Err("`key` must be at least `result` and 5m: a key that is free while its result is kept could decide twice".to_owned());
        }
        if decision.is_some_and(|decision| decision < key) {
            return Err(
                "`decision` is under `key`: an answer could name a decision that is gone"
                    .to_owned(),
            );
        }
        Ok(Self {
            result,
            key,
            decision,
        })
    }
}

/// A whole number and a unit: `90s`, `15m`, `24h`, `400d`.
fn duration(name: &str, text: &str) -> Result<Duration, String> {
    let seconds = match text.as_bytes().last() {
        Some(b's') => 1,
        Some(b'm') => 60,
        Some(b'h') => 3_600,
        Some(b'd') => 86_400,
        _ => 0,
    };
    let digits = text.get(..text.len().saturating_sub(1)).unwrap_or_default();
    let plain =
        seconds > 0 && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let duration = plain
        .then(|| digits.parse::<u64>().ok()?.checked_mul(seconds))
        .flatten()
        .map(Duration::from_secs);
    match duration {
        Some(duration) if duration <= LONGEST => Ok(duration),
        Some(_) => Err(format!(
            "`{name}` is over 3650d; use less{}",
            if name == "decision" {
                ", or `forever`"
            } else {
                ""
            }
        )),
        None => Err(format!(
            "`{name}` is not a duration; write a whole number and s, m, h or d, such as 24h"
        )),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn retention_is_read_in_the_units_of_people() {
        let retention = Retention::parse("24h", "72h", "400d").unwrap();
        assert_eq!(retention.result, Duration::from_secs(86_400));
        assert_eq!(retention.key, Duration::from_secs(3 * 86_400));
        assert_eq!(retention.decision, Some(Duration::from_secs(400 * 86_400)));
        assert_eq!(
            Retention::parse("1m", "1h", "forever").unwrap().decision,
            None
        );
    }

    #[test]
    fn what_would_let_a_key_decide_twice_is_refused() {
        for (result, key, decision) in [
            ("24h", "24h", "400d"),
            ("10m", "59m", "400d"),
            ("24h", "72h", "71h"),
            ("59s", "1h", "1d"),
            ("forever", "72h", "forever"),
            ("24", "72h", "1d"),
            ("1.5h", "72h", "4d"),
            ("-1h", "72h", "4d"),
            ("+1h", "72h", "4d"),
            ("24h", "99999999999999999999d", "forever"),
            ("24h", "3651d", "forever"),
            ("24h", "1é", "forever"),
        ] {
            assert!(
                Retention::parse(result, key, decision).is_err(),
                "{result} {key} {decision}"
            );
        }
    }
}
