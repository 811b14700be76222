//! A stream record, in the form in which Lambda hands it to a function.

use serde_json::{Map, Value, json};

/// One record of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StreamRecord {
    sequence: String,
    created_ms: i64,
    event: Value,
    size: usize,
}

/// A record that lacks what every record has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a stream record has no `{0}`")]
pub(super) struct MissingMember(&'static str);

impl StreamRecord {
    /// Takes a record as `GetRecords` answers it and gives it Lambda's form: `eventSourceARN` added, the mapping's
    /// region, times in whole epoch seconds, and lower-case members in `userIdentity` (the stream's own API has them
    /// capitalised).
    pub(super) fn from_api(
        mut raw: Value,
        region: &str,
        stream_arn: &str,
    ) -> Result<Self, MissingMember> {
        let record = raw.as_object_mut().ok_or(MissingMember("eventID"))?;
        let change = record
            .get_mut("dynamodb")
            .and_then(Value::as_object_mut)
            .ok_or(MissingMember("dynamodb"))?;
        let sequence = change
            .get("SequenceNumber")
            .and_then(Value::as_str)
            .ok_or(MissingMember("SequenceNumber"))?
            .to_owned();
        let created_s = change
            .get("ApproximateCreationDateTime")
            .and_then(whole_seconds)
            .ok_or(MissingMember("ApproximateCreationDateTime"))?;
        change.insert("ApproximateCreationDateTime".into(), json!(created_s));
        if let Some(identity) = record
            .get_mut("userIdentity")
            .and_then(Value::as_object_mut)
        {
            *identity = lower_camel_case(std::mem::take(identity));
        }
        record.insert("awsRegion".into(), json!(region));
        record.insert("eventSourceARN".into(), json!(stream_arn));
        let size = raw.to_string().len();
        Ok(Self {
            sequence,
            created_ms: created_s.saturating_mul(1_000),
            event: raw,
            size,
        })
    }

    /// The sequence number: rising within a shard.
    pub(super) fn sequence(&self) -> &str {
        &self.sequence
    }

    /// When the change was made, in Unix milliseconds, exact to the second.
    pub(super) fn created_ms(&self) -> i64 {
        self.created_ms
    }

    /// The record in Lambda's form.
    pub(super) fn event(&self) -> &Value {
        &self.event
    }

    /// Bytes that the record takes in an event.
    pub(super) fn size(&self) -> usize {
        self.size
    }
}

/// The engine writes a float, DynamoDB's own API may write either.
fn whole_seconds(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let seconds = value.as_f64()?;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the fraction is what goes away; a time is far inside the range"
        )]
        seconds.is_finite().then_some(seconds as i64)
    })
}

fn lower_camel_case(members: Map<String, Value>) -> Map<String, Value> {
    members
        .into_iter()
        .map(|(name, value)| {
            let mut letters = name.chars();
            let name = letters
                .next()
                .map(|first| first.to_ascii_lowercase())
                .into_iter()
                .chain(letters)
                .collect();
            (name, value)
        })
        .collect()
}

/// Records with these sequence numbers, a second apart.
#[cfg(test)]
pub(super) fn numbered(numbers: impl IntoIterator<Item = u32>) -> Vec<StreamRecord> {
    numbers
        .into_iter()
        .map(|number| StreamRecord {
            sequence: number.to_string(),
            created_ms: i64::from(number) * 1_000,
            event: json!({ "eventID": number.to_string() }),
            size: 15,
        })
        .collect()
}

/// That many records of that many bytes each.
#[cfg(test)]
pub(super) fn sized(count: u32, size: usize) -> Vec<StreamRecord> {
    let mut records = numbered(1..=count);
    for record in &mut records {
        record.size = size;
    }
    records
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on says so")]

    use super::*;

    #[test]
    fn a_record_takes_on_lambdas_form() {
        let raw = json!({
            "eventID": "1", "eventName": "REMOVE", "eventVersion": "1.1",
            "eventSource": "aws:dynamodb", "awsRegion": "dynoxide",
            "userIdentity": { "Type": "Service", "PrincipalId": "dynamodb.amazonaws.com" },
            "dynamodb": {
                "ApproximateCreationDateTime": 1_700_000_000.0,
                "SequenceNumber": "100000000000000000001",
                "Keys": { "id": { "S": "a" } },
                "SizeBytes": 3, "StreamViewType": "NEW_AND_OLD_IMAGES",
            },
        });
        let arn = "arn:aws:dynamodb:eu-central-1:000000000000:table/t/stream/1";
        let record = StreamRecord::from_api(raw, "eu-central-1", arn).unwrap();
        assert_eq!(record.sequence(), "100000000000000000001");
        assert_eq!(record.created_ms(), 1_700_000_000_000);
        let event = record.event();
        assert_eq!(event["awsRegion"], "eu-central-1");
        assert_eq!(event["eventSourceARN"], arn);
        assert_eq!(
            event["dynamodb"]["ApproximateCreationDateTime"].to_string(),
            "1700000000"
        );
        assert_eq!(
            event["userIdentity"],
            json!({ "type": "Service", "principalId": "dynamodb.amazonaws.com" })
        );
    }

    #[test]
    fn a_record_without_a_sequence_number_is_refused() {
        let raw = json!({ "dynamodb": { "ApproximateCreationDateTime": 1 } });
        let refused = StreamRecord::from_api(raw, "eu-central-1", "arn").unwrap_err();
        assert_eq!(refused, MissingMember("SequenceNumber"));
    }
}
