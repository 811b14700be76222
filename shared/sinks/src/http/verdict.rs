//! What a status says about an event.
//!
//! | status | verdict | because |
//! |---|---|---|
//! | 2xx | acknowledged | also 202: what the sink does with it from here on is its promise |
//! | 408, 425, 429, 5xx | not available | it passes; RFC 9110 §15.5.9 and §15.6, RFC 8470 §5.2, RFC 6585 §4 |
//! | 401, 403, 404, 405, 407, 410, 421, 3xx | not available | about the address or the credentials, not this event |
//! | 400, 409, 411, 413, 414, 415, 422, 431, every other 4xx | poison | about this event: it will be refused for ever |
//! | anything else | not available | it is no acknowledgement |
//!
//! A wrong address or credential concerns every event alike: to quarantine the outbox row by row would only hide it,
//! and each row would have to be redriven by hand once it is right.
//!
//! A wrong poison is worse than a wrong "not available": the one takes a good event out of the way until somebody
//! looks, the other is tried again and shows as lag. Both are loud and neither loses anything.

use decide_once_service::ports::SendError;
use http::StatusCode;

use crate::verdict::Verdict;

/// About the sink's address or the publisher's credentials, and so about every event alike.
const OF_THE_SETTING: [u16; 7] = [401, 403, 404, 405, 407, 410, 421];

/// Passing states that HTTP counts as the client's.
const PASSING: [u16; 3] = [408, 425, 429];

/// What this status says.
pub(super) fn of(status: StatusCode) -> Verdict {
    let code = status.as_u16();
    if status.is_success() {
        return Ok(());
    }
    let said = format!("it answered {code}");
    let poison =
        status.is_client_error() && !OF_THE_SETTING.contains(&code) && !PASSING.contains(&code);
    Err(if poison {
        SendError::Poison(said)
    } else if status.is_server_error() || PASSING.contains(&code) {
        SendError::Unavailable(said)
    } else {
        SendError::Unavailable(format!("{said}; check the sink's URL and its access"))
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn every_status_has_a_verdict_and_only_2xx_is_an_acknowledgement() {
        for code in 100..=999 {
            let verdict = of(StatusCode::from_u16(code).unwrap());
            let expected = match code {
                200..300 => "acknowledged",
                401 | 403 | 404 | 405 | 407 | 408 | 410 | 421 | 425 | 429 => "not available",
                400..500 => "poison",
                _ => "not available",
            };
            let actual = match verdict {
                Ok(()) => "acknowledged",
                Err(SendError::Unavailable(_)) => "not available",
                Err(SendError::Poison(_)) => "poison",
            };
            assert_eq!(actual, expected, "{code}");
        }
    }

    #[test]
    fn a_wrong_setting_says_where_to_look() {
        let refused = of(StatusCode::UNAUTHORIZED).unwrap_err();
        assert!(
            refused.to_string().contains("URL and its access"),
            "{refused}"
        );
    }
}
