//! A batch as Lambda hands it to a function (<https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html>), and what the function answers.

use std::collections::BTreeSet;

use axum::body::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Delivered;
use crate::names;

/// The event of a batch.
pub(super) fn of(queue: &str, batch: &[Delivered]) -> Bytes {
    let records: Vec<_> = batch
        .iter()
        .map(|delivered| record(queue, delivered))
        .collect();
    json!({ "Records": records }).to_string().into()
}

fn record(queue: &str, delivered: &Delivered) -> Value {
    let Delivered {
        message,
        receipt,
        receives,
    } = delivered;
    let attributes: Map<String, Value> = message
        .attributes
        .iter()
        .map(|(name, value)| {
            let attribute = json!({
                "stringValue": value, "stringListValues": [], "binaryListValues": [], "dataType": "String",
            });
            (name.clone(), attribute)
        })
        .collect();
    json!({
        "messageId": message.id,
        "receiptHandle": receipt,
        "body": message.body,
        "attributes": {
            "ApproximateReceiveCount": receives.to_string(),
            "SentTimestamp": message.sent_ms.to_string(),
            "SenderId": names::ACCOUNT,
        },
        "messageAttributes": attributes,
        "md5OfBody": format!("{:x}", md5::compute(&message.body)),
        "eventSource": "aws:sqs",
        "eventSourceARN": names::queue_arn(queue),
        "awsRegion": names::REGION,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(default)]
    batch_item_failures: Option<Vec<Failure>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Failure {
    item_identifier: String,
}

/// The messages that an answer says have failed; `None` is all of them. By the documented rules of `ReportBatchItemFailures`: nothing, an empty
/// object and an empty list are a complete success; an answer that cannot be read, or names what is not in the batch, a complete failure.
pub(super) fn failed(answer: &[u8], batch: &[Delivered]) -> Option<BTreeSet<String>> {
    let answer: Option<Answer> = match answer {
        b"" => None,
        answer => serde_json::from_slice(answer).ok()?,
    };
    let failures = answer.and_then(|answer| answer.batch_item_failures);
    let failed: BTreeSet<_> = failures
        .unwrap_or_default()
        .into_iter()
        .map(|failure| failure.item_identifier)
        .collect();
    let known = |id: &String| batch.iter().any(|delivered| delivered.message.id == *id);
    failed.iter().all(known).then_some(failed)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::queue::Message;

    fn batch() -> Vec<Delivered> {
        let attributes = BTreeMap::from([("Idempotency-Key".to_owned(), "k".to_owned())]);
        let message = Message {
            id: "m1".to_owned(),
            body: "{}".to_owned(),
            attributes,
            sent_ms: 7,
        };
        let receipt = "m1#1".to_owned();
        vec![Delivered {
            message,
            receipt,
            receives: 3,
        }]
    }

    #[test]
    fn an_event_has_what_lambda_documents() {
        let event: Value = serde_json::from_slice(&of("consume", &batch())).unwrap_or_default();
        let record = &event["Records"][0];
        assert_eq!(record["messageId"], "m1");
        assert_eq!(record["attributes"]["ApproximateReceiveCount"], "3");
        assert_eq!(
            record["messageAttributes"]["Idempotency-Key"]["stringValue"],
            "k"
        );
        assert_eq!(record["md5OfBody"], "99914b932bd37a50b983c5e7c90ae93b");
        assert_eq!(
            record["eventSourceARN"],
            "arn:aws:sqs:us-east-1:000000000000:consume"
        );
    }

    #[test]
    fn what_an_answer_does_not_name_is_done_and_a_strange_one_names_all() {
        let none = Some(BTreeSet::new());
        for done in [
            "",
            "null",
            "{}",
            r#"{"batchItemFailures":null}"#,
            r#"{"batchItemFailures":[]}"#,
        ] {
            assert_eq!(failed(done.as_bytes(), &batch()), none, "{done}");
        }
        let named = br#"{"batchItemFailures":[{"itemIdentifier":"m1"}]}"#;
        assert_eq!(
            failed(named, &batch()),
            Some(BTreeSet::from(["m1".to_owned()]))
        );
        for strange in [
            r#"{"batchItemFailures":[{"itemIdentifier":""}]}"#,
            r#"{"batchItemFailures":[{"itemIdentifier":"m2"}]}"#,
            r#"{"batchItemFailures":[{}]}"#,
            r#"{"batchItemFailures":7}"#,
            "done",
        ] {
            assert_eq!(failed(strange.as_bytes(), &batch()), None, "{strange}");
        }
    }
}
