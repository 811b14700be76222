//! One line for each batch, and one for each message that fails: ids, counts and reasons; never an event's content.

use decide_once_lambda::trace;
use decide_once_protocol::inbox::NotYet;
use decide_once_protocol::writes::Unreadable;
use decide_once_service::consume::{Failure, Handled};
use decide_once_service::metrics::{Meter, Metric};

use crate::Outcome;
use crate::message::Message;

#[derive(Default)]
struct Counts {
    done: u32,
    duplicates: u32,
    not_ours: u32,
    poison: u32,
    failed: u32,
    behind: u32,
}

pub(crate) fn batch(messages: &[Message<'_>], outcomes: &[Option<Outcome>]) {
    let mut counts = Counts::default();
    for (message, outcome) in messages.iter().zip(outcomes) {
        match outcome {
            None => counts.behind += 1,
            Some(Outcome::NotOurs) => counts.not_ours += 1,
            Some(Outcome::Handled(Handled::Done)) => counts.done += 1,
            Some(Outcome::Handled(Handled::Duplicate)) => counts.duplicates += 1,
            Some(Outcome::Handled(Handled::Failed(why))) => {
                if why.is_for_good() {
                    counts.poison += 1;
                } else {
                    counts.failed += 1;
                }
                failed(message, why);
            }
        }
    }
    let metrics = Meter::default()
        .count(Metric::Applied, counts.done)
        .count(Metric::Duplicates, counts.duplicates)
        .count(Metric::Poison, counts.poison)
        .count(Metric::NotYet, counts.failed + counts.behind);
    let Counts {
        not_ours, behind, ..
    } = counts;
    let traced = messages.iter().filter_map(Message::trace);
    let traces = trace::ids(traced);
    tracing::info!(%metrics, traces, not_ours, behind, "batch consumed");
}

fn failed(message: &Message<'_>, why: &Failure) {
    let event = message.event.as_ref().ok().map(|event| event.name.id());
    let (message_id, receives) = (message.id, message.receives);
    let trace = message.trace().map(|trace| trace.id());
    if why.is_for_good() {
        tracing::error!(alarm = "event-poison", message_id, event, receives, trace, %why, "an event fails however often it comes; its queue's dead-letter queue gets it");
    } else if let Failure::NotYet(NotYet::Unreadable(mark)) = why {
        let alarm = match mark {
            Unreadable::Newer { .. } => "record-newer",
            Unreadable::Corrupt { .. } => "record-corrupt",
        };
        tracing::error!(alarm, message_id, event, receives, trace, %why, "an event's mark is left as it stands; the event comes again");
    } else {
        tracing::warn!(message_id, event, receives, trace, %why, "an event is not done; it comes again");
    }
}
