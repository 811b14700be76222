//! Answers that name each event of a request by the id that it had there.

use decide_once_service::ports::SendError;

use crate::verdict::{Verdict, untold};

/// The id of an event in its request: its position there. It names nothing outside of the request.
pub(crate) fn id_of(position: usize) -> String {
    position.to_string()
}

/// Puts an answer together: who is acknowledged, and who has failed why. An id that was not sent means nobody; an event
/// that is not named, or named on both sides, is not sent.
pub(crate) fn verdicts<'a>(
    sent: usize,
    acknowledged: impl IntoIterator<Item = &'a str>,
    failed: impl IntoIterator<Item = (&'a str, SendError)>,
) -> Vec<Verdict> {
    let mut verdicts: Vec<_> = (0..sent).map(|_| untold()).collect();
    for id in acknowledged {
        if let Some(verdict) = at(&mut verdicts, id) {
            *verdict = Ok(());
        }
    }
    for (id, error) in failed {
        if let Some(verdict) = at(&mut verdicts, id) {
            *verdict = if verdict.is_ok() {
                untold()
            } else {
                Err(error)
            };
        }
    }
    verdicts
}

fn at<'a>(verdicts: &'a mut [Verdict], id: &str) -> Option<&'a mut Verdict> {
    let position: usize = id.parse().ok()?;
    verdicts.get_mut(position).filter(|_| id_of(position) == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_is_named_once_as_acknowledged_is_sent() {
        let poison = || SendError::Poison("it answered X".to_owned());
        let answered = verdicts(
            5,
            ["0", "3", "7", "+1", "01", "", "0"],
            [("2", poison()), ("3", poison()), ("9", poison())],
        );
        let expected = [Ok(()), untold(), Err(poison()), untold(), untold()];
        assert_eq!(answered, expected);
    }
}
