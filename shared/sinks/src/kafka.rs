//! Events by Kafka: a record of a topic for each, by an idempotent producer that waits for all in-sync replicas.
//!
//! The delivery report is the acknowledgement. The key is the hash of tenant and subject
//! ([`Event::group`](decide_once_protocol::outbox::Event::group)), so that one subject's events are in one partition and
//! its name is in none. The record is a structured-mode CloudEvent
//! (<https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/kafka-protocol-binding.md>).
//!
//! The record's timestamp is when it is sent, not when it was decided: a topic that keeps records for a day must not drop
//! what comes out of a longer outage.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use decide_once_protocol::outbox::{MEDIA_TYPE, OutboxRow};
use decide_once_service::ports::{SendError, Sink};
use futures_util::future::join_all;
use rdkafka::ClientConfig;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord, Producer as _};

use crate::verdict::Verdict;

/// How many records are handed to the producer at once; it fills its requests by itself.
const AT_ONCE: NonZeroUsize = NonZeroUsize::MIN.saturating_add(99);

/// How long it waits for more records to fill a request.
const LINGER: Duration = Duration::from_millis(5);

/// What a broker or the producer itself says of a record that it will never take.
const POISON: [RDKafkaErrorCode; 3] = [
    RDKafkaErrorCode::MessageSizeTooLarge,
    RDKafkaErrorCode::InvalidMessageSize,
    RDKafkaErrorCode::InvalidRecord,
];

/// A topic. Made once for a process: its producer has a thread and holds the connections.
pub struct KafkaSink {
    config: ClientConfig,
    producer: Mutex<FutureProducer>,
    topic: String,
}

/// The producer cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no producer can be made of SINK_BROKERS, which are host:port apart by commas")]
pub struct ProducerError;

impl fmt::Debug for KafkaSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KafkaSink").finish_non_exhaustive()
    }
}

impl KafkaSink {
    /// A sink that produces to `topic` on these brokers, and waits for a delivery report for as long as `timeout`.
    ///
    /// # Errors
    /// See [`ProducerError`]. Whether a broker is there is seen with the first record.
    pub fn new(brokers: &str, topic: String, timeout: Duration) -> Result<Self, ProducerError> {
        // The producer of librdkafka: https://github.com/confluentinc/librdkafka/blob/master/CONFIGURATION.md
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", brokers)
            .set("acks", "all")
            .set("enable.idempotence", "true")
            .set("message.timeout.ms", timeout.as_millis().to_string())
            .set("linger.ms", LINGER.as_millis().to_string());
        Ok(Self {
            producer: Mutex::new(config.create().map_err(|_| ProducerError)?),
            config,
            topic,
        })
    }

    async fn produce(&self, row: &OutboxRow) -> Verdict {
        let (key, event) = (row.event.group(), row.event.to_cloud_event());
        let media_type = Header {
            key: "content-type",
            value: Some(MEDIA_TYPE),
        };
        let record = FutureRecord::to(&self.topic)
            .key(&key)
            .payload(&event)
            .headers(OwnedHeaders::new().insert(media_type));
        let producer = self.producer().clone();
        // A full queue is not waited for: the publisher has its own pauses.
        match producer.send(record, Duration::ZERO).await {
            Ok(_) => Ok(()),
            Err((error, _)) => {
                self.renew(&producer);
                Err(refusal(&error))
            }
        }
    }

    /// A producer that met a fatal error, as an idempotent one may, never sends again: another one takes its place.
    fn renew(&self, used: &FutureProducer) {
        if used.client().fatal_error().is_none() {
            return;
        }
        let mut producer = self.producer();
        if producer.client().fatal_error().is_some()
            && let Ok(fresh) = self.config.create()
        {
            *producer = fresh;
        }
    }

    fn producer(&self) -> MutexGuard<'_, FutureProducer> {
        self.producer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for KafkaSink {
    fn at_once(&self) -> NonZeroUsize {
        AT_ONCE
    }

    async fn send(&self, rows: &[&OutboxRow]) -> Vec<Verdict> {
        join_all(rows.iter().map(|row| self.produce(row))).await
    }
}

fn refusal(error: &KafkaError) -> SendError {
    match error.rdkafka_error_code() {
        Some(code) if POISON.contains(&code) => SendError::Poison(format!("it answered {code:?}")),
        Some(code) => SendError::Unavailable(format!("it answered {code:?}")),
        None => SendError::Unavailable("no delivery report".to_owned()),
    }
}
