//! Asking a running local stack where its store is.

use std::time::Duration;

use decide_once_dynamodb::TableNames;
use http::{Request, Uri};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Bytes;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use serde::Deserialize;

use super::OperatorError;

/// It is on this machine, and answers from memory.
const PATIENCE: Duration = Duration::from_secs(5);

/// Its answer has a few hundred bytes.
const MOST_BYTES: usize = 64 * 1024;

/// What `GET /_local/store` says.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    ahead_ms: u64,
    endpoint: String,
    region: String,
    tables: Names,
}

#[derive(Deserialize)]
struct Names {
    operations: String,
    decisions: String,
    outbox: String,
}

/// Where a local stack's store is.
pub(super) struct Found {
    pub(super) endpoint: String,
    pub(super) region: String,
    pub(super) tables: TableNames,
    /// How far its time has been moved.
    pub(super) ahead: Duration,
}

/// Asks the stack at `url`.
pub(super) async fn ask(url: &str) -> Result<Found, OperatorError> {
    let url = url.trim_end_matches('/');
    let uri: Uri = format!("{url}/_local/store")
        .parse()
        .map_err(|_| OperatorError::StackUrl)?;
    if uri.scheme_str() != Some("http") || uri.host().is_none() {
        return Err(OperatorError::StackUrl);
    }
    let none = |why: &str| OperatorError::NoStack {
        url: url.to_owned(),
        why: why.to_owned(),
    };
    let body = tokio::time::timeout(PATIENCE, get(uri))
        .await
        .map_err(|_| none("no answer in time"))?
        .map_err(none)?;
    let answer: Answer =
        serde_json::from_slice(&body).map_err(|_| none("something else answers there"))?;
    let Names {
        operations,
        decisions,
        outbox,
    } = answer.tables;
    Ok(Found {
        endpoint: answer.endpoint,
        region: answer.region,
        ahead: Duration::from_millis(answer.ahead_ms),
        tables: TableNames {
            operations,
            decisions,
            outbox,
        },
    })
}

async fn get(uri: Uri) -> Result<Bytes, &'static str> {
    let client = Client::builder(TokioExecutor::new()).build_http();
    let request = Request::get(uri)
        .body(Empty::<Bytes>::new())
        .map_err(|_| "not an address")?;
    let answer = client.request(request).await.map_err(|_| "no connection")?;
    if !answer.status().is_success() {
        return Err("something else answers there");
    }
    Limited::new(answer.into_body(), MOST_BYTES)
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .map_err(|_| "its answer broke off")
}
