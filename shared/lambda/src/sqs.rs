//! Events of an SQS queue (<https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html>).

use std::collections::BTreeMap;

use serde::Deserialize;

/// A batch of messages.
#[derive(Debug, Deserialize)]
pub struct SqsEvent {
    /// In no order, unless the queue is FIFO.
    #[serde(rename = "Records")]
    pub records: Vec<SqsMessage>,
}

/// A message.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SqsMessage {
    /// What a partial batch response names it by. A message that is delivered again has it again; one that is sent again has another.
    pub message_id: String,
    /// What its sender wrote.
    #[serde(default)]
    pub body: String,
    #[serde(default)]
    attributes: BTreeMap<String, String>,
    #[serde(default)]
    message_attributes: BTreeMap<String, Attribute>,
}

/// A message attribute. Only texts are looked at.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attribute {
    string_value: Option<String>,
}

impl SqsMessage {
    /// How often it was delivered, this time included, as far as the queue knows.
    #[must_use]
    pub fn receives(&self) -> Option<u32> {
        self.attributes.get("ApproximateReceiveCount")?.parse().ok()
    }

    /// X-Ray's tracing header, which SQS hands on apart from the message's own attributes.
    #[must_use]
    pub fn trace_header(&self) -> Option<&str> {
        self.attributes.get("AWSTraceHeader").map(String::as_str)
    }

    /// The text of a message attribute; its name's case counts, as for SQS.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.message_attributes.get(name)?.string_value.as_deref()
    }

    /// All message attributes that are texts.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.message_attributes.iter();
        texts.filter_map(|(name, attribute)| {
            Some((name.as_str(), attribute.string_value.as_deref()?))
        })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_message_is_read_whatever_else_there_is() {
        let event = r#"{"Records":[
            {"messageId":"m1","receiptHandle":"r","body":"{}","attributes":{"ApproximateReceiveCount":"3","SentTimestamp":"1"},
             "messageAttributes":{"Idempotency-Key":{"stringValue":"k","stringListValues":[],"dataType":"String"},
                                  "blob":{"binaryValue":"AA==","dataType":"Binary"}},
             "md5OfBody":7,"eventSource":"aws:sqs","eventSourceARN":null},
            {"messageId":"m2"}]}"#;
        let SqsEvent { records } = serde_json::from_str(event).unwrap();
        let [one, other] = &records[..] else {
            panic!("{records:?}");
        };
        assert_eq!(
            (one.receives(), one.attribute("Idempotency-Key")),
            (Some(3), Some("k"))
        );
        assert_eq!(
            (one.attribute("idempotency-key"), one.attribute("blob")),
            (None, None)
        );
        assert_eq!(
            one.attributes().collect::<Vec<_>>(),
            [("Idempotency-Key", "k")]
        );
        assert_eq!((other.body.as_str(), other.receives()), ("", None));
    }
}
