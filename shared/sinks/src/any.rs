//! Any of the sinks behind one type.

use std::num::NonZeroUsize;

#[cfg(any(feature = "sns", feature = "sqs"))]
use decide_once_aws::Ahead;
#[cfg(feature = "aws")]
use decide_once_aws::EnvironmentError;
use decide_once_protocol::outbox::OutboxRow;
use decide_once_service::ports::{SendError, Sink};
use decide_once_service::system::SystemClock;

#[cfg(feature = "aws")]
use crate::aws::client::environment;
use crate::config::{Kind, SinkConfig};
#[cfg(feature = "eventbridge")]
use crate::eventbridge::{BusError, EventBridgeSink};
use crate::http::{HttpSink, TargetError};
#[cfg(feature = "kafka")]
use crate::kafka::{KafkaSink, ProducerError};
#[cfg(feature = "sns")]
use crate::sns::SnsSink;
#[cfg(feature = "sqs")]
use crate::sqs::SqsSink;

/// The sink of a process.
#[derive(Debug)]
pub enum AnySink {
    /// By HTTP.
    Http(Box<HttpSink>),
    /// By EventBridge.
    #[cfg(feature = "eventbridge")]
    EventBridge(EventBridgeSink),
    /// By SNS.
    #[cfg(feature = "sns")]
    Sns(SnsSink),
    /// By SQS.
    #[cfg(feature = "sqs")]
    Sqs(SqsSink),
    /// By Kafka.
    #[cfg(feature = "kafka")]
    Kafka(KafkaSink),
}

/// The sink that the variables name cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The URL of an HTTP sink.
    #[error("the variable SINK_URL cannot be used: {0}")]
    Target(#[from] TargetError),
    /// An AWS sink, without a way to AWS.
    #[cfg(feature = "aws")]
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// The event bus.
    #[cfg(feature = "eventbridge")]
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The producer of Kafka.
    #[cfg(feature = "kafka")]
    #[error(transparent)]
    Kafka(#[from] ProducerError),
}

impl AnySink {
    /// Makes the sink's client and, for EventBridge, looks whether the bus is there: `PutEvents` would not say so.
    ///
    /// # Errors
    /// See [`SinkError`].
    pub async fn connect(config: SinkConfig) -> Result<Self, SinkError> {
        let SinkConfig { timeout, kind } = config;
        #[cfg(feature = "aws")]
        let environment = async || environment(timeout).await;
        Ok(match kind {
            Kind::Http { url, secrets } => {
                let sink = HttpSink::new(&url, timeout)?;
                Self::Http(Box::new(match secrets {
                    Some(secrets) => sink.signed(secrets, SystemClock),
                    None => sink,
                }))
            }
            #[cfg(feature = "eventbridge")]
            Kind::EventBridge {
                bus,
                source,
                limits,
            } => {
                let client = aws_sdk_eventbridge::Client::new(&environment().await?);
                let sink = EventBridgeSink::new(client, bus, source, limits);
                sink.check().await?;
                Self::EventBridge(sink)
            }
            #[cfg(feature = "sns")]
            Kind::Sns { topic, limits } => {
                let environment = environment().await?;
                let client = Ahead::begin(move || aws_sdk_sns::Client::new(&environment));
                Self::Sns(SnsSink::new(client, topic, limits))
            }
            #[cfg(feature = "sqs")]
            Kind::Sqs { queue, limits } => {
                let environment = environment().await?;
                let client = Ahead::begin(move || aws_sdk_sqs::Client::new(&environment));
                Self::Sqs(SqsSink::new(client, queue, limits))
            }
            #[cfg(feature = "kafka")]
            Kind::Kafka { brokers, topic } => {
                Self::Kafka(KafkaSink::new(&brokers, topic, timeout)?)
            }
        })
    }
}

impl Sink for AnySink {
    fn at_once(&self) -> NonZeroUsize {
        match self {
            Self::Http(sink) => sink.at_once(),
            #[cfg(feature = "eventbridge")]
            Self::EventBridge(sink) => sink.at_once(),
            #[cfg(feature = "sns")]
            Self::Sns(sink) => sink.at_once(),
            #[cfg(feature = "sqs")]
            Self::Sqs(sink) => sink.at_once(),
            #[cfg(feature = "kafka")]
            Self::Kafka(sink) => sink.at_once(),
        }
    }

    async fn send(&self, rows: &[&OutboxRow]) -> Vec<Result<(), SendError>> {
        match self {
            Self::Http(sink) => sink.send(rows).await,
            #[cfg(feature = "eventbridge")]
            Self::EventBridge(sink) => sink.send(rows).await,
            #[cfg(feature = "sns")]
            Self::Sns(sink) => sink.send(rows).await,
            #[cfg(feature = "sqs")]
            Self::Sqs(sink) => sink.send(rows).await,
            #[cfg(feature = "kafka")]
            Self::Kafka(sink) => sink.send(rows).await,
        }
    }
}
