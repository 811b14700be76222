//! RFC 3339 date-times as instants.
//!
//! One instant has many spellings (`2026-12-01T00:00:00Z`, `2026-12-01T01:00:00+01:00`, `….000z`). The canonical one is UTC with a
//! `Z` and the fraction that was written, however long, without zeros at its end: an instant is never rounded.

use jiff::civil::{Date, Time};
use jiff::tz::Offset;

/// A date-time in parts. An RFC 3339 offset has whole minutes, so seconds and fraction are the same in every offset, in a leap second too.
struct Parts<'a> {
    minute: jiff::Timestamp,
    /// 0 to 60.
    second: u8,
    /// Digits without zeros at the end; may be empty.
    fraction: &'a str,
}

/// The canonical spelling; `None` for what is not an RFC 3339 date-time, or is outside the years 0 to 9999 in UTC.
pub(super) fn canonical(text: &str) -> Option<String> {
    let Parts {
        minute,
        second,
        fraction,
    } = parse(text)?;
    let utc = Offset::UTC.to_datetime(minute);
    let dot = if fraction.is_empty() { "" } else { "." };
    (0..=9999).contains(&utc.year()).then(|| {
        let (year, month, day) = (utc.year(), utc.month(), utc.day());
        let (hour, minute) = (utc.hour(), utc.minute());
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{dot}{fraction}Z")
    })
}

/// Milliseconds since the Unix epoch, rounded down; a leap second counts as the second after it, as in POSIX time.
pub(crate) fn epoch_millis(text: &str) -> Option<i64> {
    let Parts {
        minute,
        second,
        fraction,
    } = parse(text)?;
    let millis: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    Some(minute.as_millisecond() + i64::from(second) * 1_000 + millis)
}

/// `YYYY-MM-DDTHH:MM:SS[.digits](Z|±HH:MM)` (RFC 3339 §5.6); `T` and `Z` also in lower case.
fn parse(text: &str) -> Option<Parts<'_>> {
    let (whole, rest) = text.split_at_checked("0000-00-00T00:00:00".len())?;
    if !is_like(whole, "0000-00-00T00:00:00") {
        return None;
    }
    let number = |at: usize| whole.get(at..at + 2)?.parse::<i8>().ok();
    let date = Date::new(whole.get(..4)?.parse().ok()?, number(5)?, number(8)?).ok()?;
    let time = Time::new(number(11)?, number(14)?, 0, 0).ok()?;
    let second = u8::try_from(number(17)?)
        .ok()
        .filter(|second| *second <= 60)?;
    let (fraction, offset) = match rest.strip_prefix('.') {
        None => ("", rest),
        Some(rest) => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            rest.split_at_checked(digits)
                .filter(|(digits, _)| !digits.is_empty())?
        }
    };
    let minute = offset_of(offset)?
        .to_timestamp(date.to_datetime(time))
        .ok()?;
    Some(Parts {
        minute,
        second,
        fraction: fraction.trim_end_matches('0'),
    })
}

/// `Z`, or `±HH:MM`.
fn offset_of(text: &str) -> Option<Offset> {
    let (sign, clock) = match text.split_at_checked(1)? {
        ("Z" | "z", "") => return Some(Offset::UTC),
        ("+", clock) => (1, clock),
        ("-", clock) => (-1, clock),
        _ => return None,
    };
    if !is_like(clock, "00:00") {
        return None;
    }
    let hours: i32 = clock.get(..2)?.parse().ok()?;
    let minutes: i32 = clock.get(3..)?.parse().ok()?;
    if hours > 23 || minutes > 59 {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3_600 + minutes * 60)).ok()
}

/// Whether `text` has digits where `pattern` has zeros, and else is the same; letters of either case.
fn is_like(text: &str, pattern: &str) -> bool {
    let masked = text.chars().map(|c| match c {
        '0'..='9' => '0',
        other => other.to_ascii_uppercase(),
    });
    masked.eq(pattern.chars())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_instant_become_one() {
        for text in [
            "2026-12-01T00:00:00Z",
            "2026-12-01T01:00:00+01:00",
            "2026-11-30T19:00:00-05:00",
            "2026-12-01t00:00:00z",
            "2026-12-01T00:00:00.000Z",
            "2026-12-01T00:00:00-00:00",
        ] {
            let canonical = canonical(text);
            assert_eq!(canonical.as_deref(), Some("2026-12-01T00:00:00Z"), "{text}");
        }
    }

    #[test]
    fn the_written_precision_is_kept_and_a_leap_second_is_its_own_instant() {
        let precise = "2026-12-01T00:00:00.1234567890123Z";
        assert_eq!(canonical(precise).as_deref(), Some(precise));
        assert_eq!(
            canonical("2017-01-01T00:59:60.50+01:00").as_deref(),
            Some("2016-12-31T23:59:60.5Z")
        );
        assert_ne!(
            canonical("2016-12-31T23:59:60Z"),
            canonical("2017-01-01T00:00:00Z")
        );
    }

    #[test]
    fn what_is_not_a_date_time_of_rfc_3339_is_none() {
        for text in [
            "",
            "2026-12-01",
            "2026-12-01T00:00:00",
            "2026-12-01 00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-12-01T24:00:00Z",
            "2026-12-01T00:00:61Z",
            "2026-12-01T00:00:00.Z",
            "2026-12-01T00:00:00+24:00",
            "2026-12-01T00:00:00+01",
            "2026-12-01T00:00:00+01:00[Europe/Berlin]",
            "0000-01-01T00:00:00+01:00",
            "+2026-12-01T00:00:00Z",
            "2026-12-01T00:00:00Zé",
            "2026-12-+1T00:00:00Z",
            "é2026-12-01T00:00:00Z",
        ] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }

    #[test]
    fn milliseconds_are_rounded_down() {
        let t0 = 1_796_083_200_000;
        assert_eq!(epoch_millis("2026-12-01T00:00:00.0019Z"), Some(t0 + 1));
        assert_eq!(epoch_millis("2026-12-01T01:00:00+01:00"), Some(t0));
        assert_eq!(epoch_millis("1969-12-31T23:59:59.5Z"), Some(-500));
        assert_eq!(epoch_millis("soon"), None);
    }
}
