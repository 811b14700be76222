//! An HTTP client that answers from a list and keeps what was asked. Its tests run in paused time (`start_paused`): a
//! timeout comes as soon as nothing else can happen, and never because the machine is busy.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryPartition;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::error::ConnectorError;
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use decide_once_dynamodb::{DynamoInbox, DynamoStore, TableNames, client};

/// What becomes of one send.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// An HTTP answer.
    Answer(u16, String),
    /// The connection breaks.
    Broken,
    /// No answer ever comes.
    Silence,
}

impl Reply {
    /// Success of a write.
    pub(crate) fn ok() -> Self {
        Self::Answer(200, "{}".to_owned())
    }

    /// An error with a code only.
    pub(crate) fn error(status: u16, code: &str) -> Self {
        let body =
            format!(r#"{{"__type":"com.amazonaws.dynamodb.v20120810#{code}","message":"m"}}"#);
        Self::Answer(status, body)
    }

    /// A failed condition of a single write, with the item that stands there.
    pub(crate) fn refused(item: Option<&str>) -> Self {
        let item = item
            .map(|item| format!(r#","Item":{item}"#))
            .unwrap_or_default();
        let code = "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException";
        Self::Answer(400, format!(r#"{{"__type":"{code}","message":"m"{item}}}"#))
    }

    /// A cancelled transaction: each reason a code, or a code and the item that stands there.
    pub(crate) fn cancelled(reasons: &[(&str, Option<&str>)]) -> Self {
        let reasons: Vec<_> = reasons
            .iter()
            .map(|(code, item)| {
                let item = item
                    .map(|item| format!(r#","Item":{item}"#))
                    .unwrap_or_default();
                format!(r#"{{"Code":"{code}"{item}}}"#)
            })
            .collect();
        Self::Answer(
            400,
            format!(
                r#"{{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"m","CancellationReasons":[{}]}}"#,
                reasons.join(",")
            ),
        )
    }
}

/// The answers that are left, and the bodies that were sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replay {
    script: Arc<Mutex<VecDeque<Reply>>>,
    sent: Arc<Mutex<Vec<String>>>,
}

impl Replay {
    /// Answers with these, in order. A send too many breaks.
    pub(crate) fn of(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replay = Self::default();
        replay.script.lock().unwrap().extend(replies);
        replay
    }

    /// A store over it, with the limits of production.
    pub(crate) fn store(&self) -> DynamoStore {
        DynamoStore::new(self.client(), TableNames::default())
    }

    /// A consumer's marks over it, likewise.
    pub(crate) fn inbox(&self) -> DynamoInbox {
        DynamoInbox::new(self.client(), "inbox".to_owned())
    }

    fn client(&self) -> Client {
        let replay = self.clone();
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("eu-central-1"))
            .credentials_provider(Credentials::new("id", "secret", None, None, "tests"))
            .http_client(http_client_fn(move |_, _| {
                SharedHttpConnector::new(replay.clone())
            }));
        // All clients of a process share what retries may cost, unless told otherwise: other tests' failures would end this one's.
        let config = config.retry_partition(RetryPartition::custom("a replay's own").build());
        Client::from_conf(client::limited(config).build())
    }

    /// The bodies that were sent, in order.
    pub(crate) fn sent(&self) -> Vec<String> {
        self.sent.lock().unwrap().clone()
    }
}

impl HttpConnector for Replay {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let body = String::from_utf8(request.body().bytes().unwrap().to_vec()).unwrap();
        self.sent.lock().unwrap().push(body);
        let reply = self
            .script
            .lock()
            .unwrap()
            .pop_front()
            .unwrap_or(Reply::Broken);
        match reply {
            Reply::Answer(status, body) => HttpConnectorFuture::ready(Ok(HttpResponse::new(
                status.try_into().unwrap(),
                SdkBody::from(body),
            ))),
            Reply::Broken => {
                HttpConnectorFuture::ready(Err(ConnectorError::io("connection closed".into())))
            }
            Reply::Silence => HttpConnectorFuture::new(std::future::pending()),
        }
    }
}
