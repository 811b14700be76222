//! Spans of time as people write and read them.

use std::time::Duration;

/// Reads `90s`, `5m`, `2h`, `7d`.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let wanted = || "it must be a whole number with its unit: 90s, 5m, 2h, 7d".to_owned();
    let unit = text.chars().next_back().ok_or_else(wanted)?;
    let seconds: u64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(wanted()),
    };
    let digits = &text[..text.len() - unit.len_utf8()];
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wanted());
    }
    let number: u64 = digits.parse().map_err(|_| wanted())?;
    number
        .checked_mul(seconds)
        .map(Duration::from_secs)
        .ok_or_else(wanted)
}

/// Two units at most: `42s`, `3m 07s`, `2h 05m`, `4d 03h`.
pub(super) fn show(span: Duration) -> String {
    let seconds = span.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m {:02}s", seconds % 60),
        (0, ..) => format!("{hours}h {:02}m", minutes % 60),
        _ => format!("{days}d {:02}h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn spans_are_read_with_their_unit_and_not_without() {
        let seconds = |text| parse(text).unwrap().as_secs();
        assert_eq!(
            ["90s", "5m", "2h", "7d", "0s"].map(seconds),
            [90, 300, 7_200, 604_800, 0]
        );
        for text in [
            "",
            "5",
            "m",
            "-5m",
            "+5m",
            "1.5h",
            "5 m",
            "5µ",
            "99999999999999999999s",
            "999999999999999999d",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn spans_are_shown_in_two_units() {
        let shown = |seconds| show(Duration::from_secs(seconds));
        assert_eq!(
            [0, 59, 60, 3_599, 3_600, 86_399, 86_400, 900_000].map(shown),
            [
                "0s", "59s", "1m 00s", "59m 59s", "1h 00m", "23h 59m", "1d 00h", "10d 10h"
            ]
        );
    }
}
