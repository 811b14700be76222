//! The review desk: an effect elsewhere, which knows a repetition by its `Idempotency-Key`.

use decide_once_client::advice::{self, Advice};
use decide_once_client::{HttpTransport, Transport as _};
use decide_once_protocol::inbox::{CloudEvent, DownstreamKey};
use decide_once_protocol::json::{Value, object};
use decide_once_protocol::key::IdempotencyKey;
use decide_once_service::consume::EffectError;

/// Tells the desk of a review, under the event's key.
///
/// # Errors
/// The desk did not take it, or nobody knows that it did.
pub(crate) async fn ask(
    desk: &HttpTransport,
    event: &CloudEvent,
    key: &DownstreamKey,
) -> Result<(), EffectError> {
    let key = IdempotencyKey::parse(key.as_str())
        .map_err(|_| EffectError::Poison("its key cannot be sent".to_owned()))?;
    let answer = desk.post(&key, body(event).into()).await;
    let answer = answer.map_err(|why| EffectError::Unavailable(format!("the desk: {why}")))?;
    let status = answer.status;
    if (200..300).contains(&status) {
        return Ok(());
    }
    match advice::of(status, None) {
        Advice::SameKey => Err(EffectError::Unavailable(format!(
            "the desk answered {status}"
        ))),
        Advice::Done | Advice::NewKey | Advice::Never => {
            Err(EffectError::Poison(format!("the desk answered {status}")))
        }
    }
}

fn body(event: &CloudEvent) -> String {
    let review = object([
        ("event", Value::from(event.name.id())),
        ("type", Value::from(event.kind.as_str())),
        (
            "subject",
            Value::from(event.subject.as_deref().unwrap_or_default()),
        ),
        ("data", event.data.clone()),
    ]);
    Value::from(review).to_json()
}
