//! `POST /_local/sqs`: the part of SQS's API that functions and people need, in its JSON protocol
//! (<https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-making-api-requests-json.html>).
//!
//! `SendMessage`, `SendMessageBatch`, `ReceiveMessage`, `DeleteMessage`, `GetQueueUrl`, for the unchanged SDK: its endpoint is this address, a
//! queue's URL ends in the account and the queue's name. Attributes are texts; there is no long polling, and no FIFO queue.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    response::{IntoResponse, Response},
    routing::post,
};
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{names, queue::Queue};

/// A message, its attributes included
/// (<https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html>).
const LARGEST: usize = 1024 * 1024;

#[derive(Clone)]
struct Sqs {
    queues: Arc<BTreeMap<&'static str, Arc<Queue>>>,
    /// What a queue's URL begins with.
    url: String,
}

/// An error as the SDK reads it.
struct Refusal {
    code: &'static str,
    message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Send {
    queue_url: String,
    message_body: String,
    #[serde(default)]
    message_attributes: Attributes,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SendBatch {
    queue_url: String,
    entries: Vec<BatchEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct BatchEntry {
    id: String,
    message_body: String,
    #[serde(default)]
    message_attributes: Attributes,
}

type Attributes = BTreeMap<String, Attribute>;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Attribute {
    string_value: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Receive {
    queue_url: String,
    max_number_of_messages: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Delete {
    queue_url: String,
    receipt_handle: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Named {
    queue_name: String,
}

/// The API at `url`, which is this stack's.
pub(super) fn router(queues: Arc<BTreeMap<&'static str, Arc<Queue>>>, url: String) -> Router {
    Router::new()
        .route("/sqs", post(call))
        .route("/sqs/", post(call))
        .with_state(Sqs { queues, url })
}

async fn call(
    State(sqs): State<Sqs>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>, Refusal> {
    let target = headers
        .get("x-amz-target")
        .and_then(|target| target.to_str().ok());
    let action = target.and_then(|target| target.strip_prefix("AmazonSQS."));
    match action.unwrap_or_default() {
        "SendMessage" => sqs.send(read(&body)?),
        "SendMessageBatch" => sqs.send_batch(read(&body)?),
        "ReceiveMessage" => sqs.receive(&read(&body)?),
        "DeleteMessage" => sqs.delete(&read(&body)?),
        "GetQueueUrl" => sqs.queue_url(&read(&body)?),
        _ => Err(Refusal {
            code: "UnsupportedOperation",
            message: "the local stack does not have this action of SQS".to_owned(),
        }),
    }
}

impl Sqs {
    fn send(&self, send: Send) -> Result<Json<Value>, Refusal> {
        let queue = self.find(&send.queue_url)?;
        Ok(Json(put(
            queue,
            send.message_body,
            send.message_attributes,
        )?))
    }

    /// Each entry for itself.
    fn send_batch(&self, batch: SendBatch) -> Result<Json<Value>, Refusal> {
        let queue = self.find(&batch.queue_url)?;
        let (mut successful, mut failed) = (Vec::new(), Vec::new());
        for entry in batch.entries {
            let id = entry.id;
            match put(queue, entry.message_body, entry.message_attributes) {
                Ok(mut sent) => {
                    sent["Id"] = id.into();
                    successful.push(sent);
                }
                Err(refusal) => failed.push(json!({
                    "Id": id, "Code": refusal.code, "Message": refusal.message, "SenderFault": refusal.code != INTERNAL,
                })),
            }
        }
        Ok(Json(json!({ "Successful": successful, "Failed": failed })))
    }

    fn receive(&self, receive: &Receive) -> Result<Json<Value>, Refusal> {
        let queue = self.find(&receive.queue_url)?;
        let most = receive.max_number_of_messages.unwrap_or(1).clamp(1, 10);
        let messages: Vec<_> = queue
            .receive(most)
            .into_iter()
            .map(|delivered| {
                let message = delivered.message;
                let attributes = message.attributes.iter();
                let attributes: BTreeMap<_, _> = attributes
                    .map(|(name, value)| (name, json!({ "StringValue": value, "DataType": "String" })))
                    .collect();
                json!({
                    "MessageId": message.id,
                    "ReceiptHandle": delivered.receipt,
                    "MD5OfBody": md5_of(&message.body),
                    "Body": message.body,
                    "Attributes": { "ApproximateReceiveCount": delivered.receives.to_string(), "SentTimestamp": message.sent_ms.to_string() },
                    "MessageAttributes": attributes,
                })
            })
            .collect();
        Ok(Json(json!({ "Messages": messages })))
    }

    fn delete(&self, delete: &Delete) -> Result<Json<Value>, Refusal> {
        self.find(&delete.queue_url)?.delete(&delete.receipt_handle);
        Ok(Json(json!({})))
    }

    fn queue_url(&self, named: &Named) -> Result<Json<Value>, Refusal> {
        let name = self.find(&named.queue_name)?.name();
        let url = names::queue_url(&self.url, name);
        Ok(Json(json!({ "QueueUrl": url })))
    }

    /// By its URL or its name.
    fn find(&self, url: &str) -> Result<&Arc<Queue>, Refusal> {
        let name = url.rsplit('/').next().unwrap_or_default();
        self.queues.get(name).ok_or_else(|| Refusal {
            code: "QueueDoesNotExist",
            message: "The specified queue does not exist.".to_owned(),
        })
    }
}

/// Whose fault it is not.
const INTERNAL: &str = "InternalError";

fn put(queue: &Queue, body: String, attributes: Attributes) -> Result<Value, Refusal> {
    let attributes: BTreeMap<_, _> = attributes
        .into_iter()
        .filter_map(|(name, attribute)| Some((name, attribute.string_value?)))
        .collect();
    let beside: usize = attributes
        .iter()
        .map(|(name, value)| name.len() + "String".len() + value.len())
        .sum();
    if body.is_empty() || body.len() + beside > LARGEST || attributes.len() > 10 {
        return Err(Refusal {
            code: "InvalidParameterValue",
            message: "a message has 1 byte to 1 MiB, and 10 attributes at most".to_owned(),
        });
    }
    let md5 = md5_of(&body);
    let sent = queue.send(body, attributes);
    let id = sent.map_err(|error| Refusal {
        code: INTERNAL,
        message: error.to_string(),
    })?;
    Ok(json!({ "MessageId": id, "MD5OfMessageBody": md5 }))
}

fn md5_of(body: &str) -> String {
    format!("{:x}", md5::compute(body))
}

fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|error| Refusal {
        code: "InvalidParameterValue",
        message: error.to_string(),
    })
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = if self.code == INTERNAL {
            StatusCode::INTERNAL_SERVER_ERROR
        } else {
            StatusCode::BAD_REQUEST
        };
        let body = json!({ "__type": format!("com.amazonaws.sqs#{}", self.code), "message": self.message });
        (status, Json(body)).into_response()
    }
}
