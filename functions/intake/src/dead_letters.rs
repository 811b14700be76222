//! Refused messages: to the dead-letter queue, as they were, with their Problem Details beside them.
//!
//! The body and the attributes are the message's own, so that it can be handed in again as it is, once what refused it has changed.

use std::collections::HashMap;
use std::time::Duration;

use aws_config::timeout::TimeoutConfig;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::error::{BuildError, ProvideErrorMetadata, SdkError};
use aws_sdk_sqs::operation::send_message::SendMessageError;
use aws_sdk_sqs::types::MessageAttributeValue;
use decide_once_aws::{Ahead, EnvironmentError};
use decide_once_lambda::sqs::SqsMessage;
use decide_once_service::problem::Problem;

use crate::ask::KEY_ATTRIBUTE;

/// The message attribute that has the Problem Details, `application/problem+json`.
const PROBLEM_ATTRIBUTE: &str = "Problem";

/// A message has ten attributes at most
/// (<https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html>).
const MOST_ATTRIBUTES: usize = 10;

/// How long a send may take, with its retries. A message that is not sent comes again.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The dead-letter queue.
#[derive(Debug)]
pub(crate) struct DeadLetters {
    client: Ahead<Client>,
    queue: String,
}

/// A refused message.
#[derive(Debug)]
pub(crate) struct Letter<'a> {
    pub(crate) body: &'a str,
    pub(crate) attributes: Vec<(&'a str, &'a str)>,
}

/// The queue did not take it, or nobody knows that it did. By its code only.
#[derive(Debug, thiserror::Error)]
#[error(
    "the dead-letter queue did not take it ({0}); check DEAD_LETTER_QUEUE_URL and the function's permissions"
)]
pub(crate) struct Unsent(String);

impl<'a> Letter<'a> {
    pub(crate) fn of(message: &'a SqsMessage) -> Self {
        Self {
            body: &message.body,
            attributes: message.attributes().collect(),
        }
    }

    pub(crate) const fn of_bus(event: &'a str) -> Self {
        Self {
            body: event,
            attributes: Vec::new(),
        }
    }
}

impl DeadLetters {
    /// The queue of this URL.
    ///
    /// # Errors
    /// The environment does not say how to reach AWS.
    pub(crate) async fn connect(queue: String) -> Result<Self, EnvironmentError> {
        let timeouts = TimeoutConfig::builder().operation_timeout(TIMEOUT).build();
        let environment = decide_once_aws::environment().await?.into_builder();
        let environment = environment.timeout_config(timeouts).build();
        Ok(Self {
            client: Ahead::begin(move || Client::new(&environment)),
            queue,
        })
    }

    /// Sends a letter. Sent twice, it is there twice: nothing depends on how often.
    pub(crate) async fn send(&self, letter: &Letter<'_>, problem: &Problem) -> Result<(), Unsent> {
        let attributes =
            attributes(letter, problem).map_err(|_| Unsent("no request".to_owned()))?;
        let sent = self
            .client
            .send_message()
            .queue_url(&self.queue)
            .message_body(letter.body)
            .set_message_attributes(Some(attributes))
            .send()
            .await;
        match sent {
            Ok(_) => Ok(()),
            Err(error) => Err(Unsent(what(&error))),
        }
    }
}

/// The problem, the key, and as many of the others as there is room for.
fn attributes(
    letter: &Letter<'_>,
    problem: &Problem,
) -> Result<HashMap<String, MessageAttributeValue>, BuildError> {
    let problem = problem.to_json();
    let mut own = letter.attributes.clone();
    own.retain(|(name, value)| *name != PROBLEM_ATTRIBUTE && !value.is_empty());
    own.sort_by_key(|(name, _)| *name != KEY_ATTRIBUTE);
    own.truncate(MOST_ATTRIBUTES - 1);
    own.push((PROBLEM_ATTRIBUTE, &problem));
    let attributes = own.into_iter().map(|(name, value)| {
        let attribute = MessageAttributeValue::builder()
            .data_type("String")
            .string_value(value);
        Ok((name.to_owned(), attribute.build()?))
    });
    attributes.collect()
}

fn what<R>(error: &SdkError<SendMessageError, R>) -> String {
    match error {
        SdkError::ServiceError(answer) => answer.err().code().unwrap_or("an error").to_owned(),
        SdkError::TimeoutError(_) => "no answer in time".to_owned(),
        _ => "no answer".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use decide_once_service::problem::Kind;

    use super::*;

    #[test]
    fn a_letter_keeps_its_key_and_has_its_problem_however_many_attributes_it_has() {
        let names: Vec<String> = (0..12).map(|number| format!("a{number}")).collect();
        let mut own: Vec<_> = names.iter().map(|name| (name.as_str(), "v")).collect();
        own.extend([(KEY_ATTRIBUTE, "k"), ("Problem", "of another time")]);
        let letter = Letter {
            body: "{}",
            attributes: own,
        };
        let problem = Problem::new(Kind::KeyReused, "why");
        let sent = attributes(&letter, &problem).unwrap();
        assert_eq!(sent.len(), MOST_ATTRIBUTES);
        assert_eq!(sent[KEY_ATTRIBUTE].string_value(), Some("k"));
        let told = sent["Problem"].string_value().unwrap();
        assert!(
            told.contains("urn:decide-once:problem:key-reused"),
            "{told}"
        );
    }
}
