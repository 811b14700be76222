//! What became of an event, and who says so.

use decide_once_service::ports::SendError;

/// `Ok` only where the sink acknowledged this very event.
pub(crate) type Verdict = Result<(), SendError>;

/// Of an event that an answer does not mention.
#[cfg(feature = "aws")]
pub(crate) fn untold() -> Verdict {
    Err(SendError::Unavailable(
        "it told nothing of this event".to_owned(),
    ))
}

/// The same for all.
#[cfg(feature = "aws")]
pub(crate) fn all(events: usize, error: &SendError) -> Vec<Verdict> {
    vec![Err(error.clone()); events]
}
