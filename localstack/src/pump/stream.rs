//! The few calls of the streams API that a pump needs, as plain HTTP and JSON.
//!
//! Without the AWS SDK: the local stack needs it for nothing else, and the engine only looks whether a request is
//! signed, not by whom.

use http::{Request, Uri, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

use super::config::StartingPosition;
use super::record::{MissingMember, StreamRecord};

/// `GetRecords` returns no more than this; fewer means that there were no more.
pub(super) const PAGE: usize = 1_000;

/// A stream and its one shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stream {
    pub(super) arn: String,
    pub(super) shard_id: String,
}

impl Stream {
    /// The ARN as events carry it: the engine's own names no real region.
    pub(super) fn arn_in(&self, region: &str) -> String {
        let mut parts: Vec<&str> = self.arn.splitn(5, ':').collect();
        if let Some(written) = parts.get_mut(3) {
            *written = region;
        }
        parts.join(":")
    }
}

/// Where an iterator is to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start<'a> {
    At(StartingPosition),
    After(&'a str),
}

/// What one `GetRecords` brought.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) records: Vec<StreamRecord>,
    pub(super) next: Option<String>,
}

/// Why a stream could not be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum StreamError {
    #[error("the position is older than the stream's retention")]
    Trimmed,
    #[error("the shard iterator has expired")]
    IteratorExpired,
    #[error("table `{0}` has no stream; create it with StreamEnabled")]
    NoStream(String),
    #[error("the stream has {0} shards, and the local pump reads streams of one")]
    ShardCount(usize),
    #[error("the store refused with {0}")]
    Refused(String),
    #[error("the store's answer is not what the streams API answers")]
    Unreadable,
    #[error("the store's answer has a record that cannot be used")]
    Record(#[from] MissingMember),
    #[error("the store could not be reached")]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// A client of the streams API.
#[derive(Debug, Clone)]
pub(super) struct StreamClient {
    endpoint: Uri,
    region: String,
    http: Client<HttpConnector, Full<Bytes>>,
}

impl StreamClient {
    pub(super) fn new(endpoint: Uri, region: &str) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Self {
            endpoint,
            region: region.to_owned(),
            http: Client::builder(TokioExecutor::new()).build(connector),
        }
    }

    /// The table's current stream: labels are times, the greatest is the newest.
    pub(super) async fn find(&self, table: &str) -> Result<Stream, StreamError> {
        let listed = self
            .call("ListStreams", &json!({ "TableName": table }))
            .await?;
        let arn = listed["Streams"]
            .as_array()
            .into_iter()
            .flatten()
            .max_by_key(|stream| stream["StreamLabel"].as_str())
            .and_then(|stream| stream["StreamArn"].as_str())
            .ok_or_else(|| StreamError::NoStream(table.to_owned()))?;
        let described = self
            .call("DescribeStream", &json!({ "StreamArn": arn }))
            .await?;
        let shards = described["StreamDescription"]["Shards"].as_array();
        match shards.map(Vec::as_slice) {
            Some([shard]) => Ok(Stream {
                arn: arn.to_owned(),
                shard_id: text(shard, "ShardId")?,
            }),
            shards => Err(StreamError::ShardCount(shards.map_or(0, <[_]>::len))),
        }
    }

    pub(super) async fn iterator(
        &self,
        stream: &Stream,
        start: Start<'_>,
    ) -> Result<String, StreamError> {
        let mut request = json!({ "StreamArn": stream.arn, "ShardId": stream.shard_id });
        request["ShardIteratorType"] = match start {
            Start::At(StartingPosition::TrimHorizon) => json!("TRIM_HORIZON"),
            Start::At(StartingPosition::Latest) => json!("LATEST"),
            Start::After(sequence_number) => {
                request["SequenceNumber"] = json!(sequence_number);
                json!("AFTER_SEQUENCE_NUMBER")
            }
        };
        let answer = self.call("GetShardIterator", &request).await?;
        text(&answer, "ShardIterator")
    }

    pub(super) async fn records(
        &self,
        stream: &Stream,
        iterator: &str,
    ) -> Result<Page, StreamError> {
        let request = json!({ "ShardIterator": iterator, "Limit": PAGE });
        let mut answer = self.call("GetRecords", &request).await?;
        let arn = stream.arn_in(&self.region);
        let Value::Array(records) = answer["Records"].take() else {
            return Err(StreamError::Unreadable);
        };
        Ok(Page {
            records: records
                .into_iter()
                .map(|record| StreamRecord::from_api(record, &self.region, &arn))
                .collect::<Result<_, _>>()?,
            next: answer["NextShardIterator"].as_str().map(str::to_owned),
        })
    }

    async fn call(&self, operation: &str, body: &Value) -> Result<Value, StreamError> {
        let authorization = format!(
            "AWS4-HMAC-SHA256 Credential=local/20000101/{}/dynamodb/aws4_request, SignedHeaders=host, Signature=local",
            self.region
        );
        let request = Request::post(self.endpoint.clone())
            .header(
                "x-amz-target",
                format!("DynamoDBStreams_20120810.{operation}"),
            )
            .header(header::CONTENT_TYPE, "application/x-amz-json-1.0")
            .header(header::AUTHORIZATION, authorization)
            .header("x-amz-date", "20000101T000000Z")
            .body(Full::new(Bytes::from(body.to_string())))
            .map_err(|error| StreamError::Unreachable(error.into()))?;
        let response = self
            .http
            .request(request)
            .await
            .map_err(|error| StreamError::Unreachable(error.into()))?;
        let succeeded = response.status().is_success();
        let answer = response
            .into_body()
            .collect()
            .await
            .map_err(|error| StreamError::Unreachable(error.into()))?;
        let answer = serde_json::from_slice(&answer.to_bytes());
        let answer: Value = answer.map_err(|_| StreamError::Unreadable)?;
        if succeeded {
            return Ok(answer);
        }
        let code = answer["__type"]
            .as_str()
            .and_then(|code| code.rsplit('#').next())
            .ok_or(StreamError::Unreadable)?;
        Err(match code {
            "TrimmedDataAccessException" => StreamError::Trimmed,
            "ExpiredIteratorException" => StreamError::IteratorExpired,
            other => StreamError::Refused(other.to_owned()),
        })
    }
}

fn text(value: &Value, member: &str) -> Result<String, StreamError> {
    value[member]
        .as_str()
        .map(str::to_owned)
        .ok_or(StreamError::Unreadable)
}
