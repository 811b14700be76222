//! The intake function: decision requests from queues and buses, to the same path as the HTTP API's.
//!
//! Event sources that retry are callers too. Thin: a message becomes a key and a request ([`ask`]), the tenant is the queue's own
//! ([`config`]), one use-case of `decide-once-service` decides, and the answer says what becomes of the message ([`fate`]). What is refused
//! goes to the dead-letter queue with its Problem Details ([`dead_letters`]).

mod ask;
mod config;
mod dead_letters;
mod event;
mod fate;
mod log;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use decide_once_dynamodb::{DynamoStore, client_from_env};
use decide_once_lambda::batch::BatchResponse;
use decide_once_lambda::remaining;
use decide_once_lambda::sqs::SqsMessage;
use decide_once_lambda::trace;
use decide_once_protocol::key::IdempotencyKey;
use decide_once_protocol::scope::{DECIDE, OperationName, Scope, Tenant};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::trace::TraceParent;
use decide_once_service::batch::in_lanes;
use decide_once_service::limits::Limits;
use decide_once_service::metrics::Metric;
use decide_once_service::ports::Clock as _;
use decide_once_service::problem::Problem;
use decide_once_service::system::{SystemClock, SystemIds};
use decide_once_service::{Answers, Budget, Call, Decider, Respond, logging, policies};
pub use lambda_runtime::Error;
use lambda_runtime::{Context, LambdaEvent, service_fn};
use serde::Serialize;

pub use crate::ask::{Ask, of_bus, of_message};
use crate::config::Config;
use crate::dead_letters::{DeadLetters, Letter};
pub use crate::event::IntakeEvent;
use crate::fate::{Fate, Told};

/// How many operations are decided at once: each waits for the store most of its time.
const AT_ONCE: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9);

/// The function with all that it needs.
#[derive(Debug)]
struct App {
    decider: Decider<DynamoStore, SystemClock, SystemIds>,
    tenant: Tenant,
    operation: OperationName,
    key_pointer: Option<String>,
    dead_letters: DeadLetters,
}

/// A message with what it asks for.
struct Message<'a> {
    id: &'a str,
    receives: Option<u32>,
    letter: Letter<'a>,
    ask: Result<Ask, Box<Problem>>,
    trace: Option<TraceParent>,
}

/// What Lambda is told.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answer {
    /// Which messages of a queue come again.
    Batch(BatchResponse),
    /// Nothing: a bus is told by success, or by failure.
    Bus,
}

/// Of an event of a bus: Lambda tries again, and then tells the on-failure destination.
#[derive(Debug, thiserror::Error)]
#[error("the event has no final answer yet; it has to come again")]
struct NotYet;

/// Runs the function until its process ends: configuration, clients and policies once, then event by event.
///
/// # Errors
/// A variable is missing or wrong, the policies cannot be read, or the Runtime API is gone. Said before the first event is taken.
pub async fn run() -> Result<(), Error> {
    logging::init("intake")?;
    let config = Config::from_env()?;
    let policies = policies::load(&config.policies)?;
    let decider = Decider {
        store: DynamoStore::new(client_from_env().await?, config.tables),
        clock: SystemClock,
        ids: SystemIds,
        policies,
        settings: config.settings,
        limits: Limits::default(),
        answers: Answers::default(),
    };
    let app = Arc::new(App {
        decider,
        tenant: config.tenant,
        operation: OperationName::parse(DECIDE)?,
        key_pointer: config.key_pointer,
        dead_letters: DeadLetters::connect(config.dead_letters).await?,
    });
    lambda_runtime::run(service_fn(move |event: LambdaEvent<IntakeEvent>| {
        let app = Arc::clone(&app);
        // Boxed: what the runtime wraps around it would be a type too deep for the compiler.
        Box::pin(async move { app.handle(event).await.map_err(Error::from) })
    }))
    .await
}

impl App {
    async fn handle(&self, event: LambdaEvent<IntakeEvent>) -> Result<Answer, NotYet> {
        let LambdaEvent { payload, context } = event;
        // The remaining time comes from Lambda's clock, the deadline is told in this worker's.
        let deadline = self.decider.clock.now().plus(remaining(&context));
        match payload {
            IntakeEvent::Queue(queue) => Ok(Answer::Batch(
                self.batch(&queue.records, &context, deadline).await,
            )),
            IntakeEvent::Bus(event) => self.event(&event, &context, deadline).await,
        }
    }

    /// Operations side by side, copies of one in single file.
    async fn batch(
        &self,
        records: &[SqsMessage],
        context: &Context,
        deadline: Timestamp,
    ) -> BatchResponse {
        let pointer = self.key_pointer.as_deref();
        let messages: Vec<_> = records
            .iter()
            .map(|record| Message {
                id: &record.message_id,
                receives: record.receives(),
                letter: Letter::of(record),
                ask: of_message(record, pointer),
                trace: trace_of(record, context),
            })
            .collect();
        let take = |message| self.take(message, deadline);
        let acknowledged = in_lanes(&messages, Message::lane, AT_ONCE, take, |_| true).await;
        let failed = messages.iter().zip(acknowledged);
        let failed = failed.filter(|(_, acknowledged)| *acknowledged != Some(true));
        BatchResponse::of_failed(failed.map(|(message, _)| message.id.to_owned()))
    }

    async fn event(
        &self,
        event: &str,
        context: &Context,
        deadline: Timestamp,
    ) -> Result<Answer, NotYet> {
        let message = Message {
            id: &context.request_id,
            receives: None,
            letter: Letter::of_bus(event),
            ask: of_bus(event, self.key_pointer.as_deref()),
            trace: trace::of(&[], None, context),
        };
        if self.take(&message, deadline).await {
            Ok(Answer::Bus)
        } else {
            Err(NotYet)
        }
    }

    /// Decides what a message asks for, and tells whether it may be forgotten.
    async fn take(&self, message: &Message<'_>, deadline: Timestamp) -> bool {
        let Told {
            fate,
            operation,
            mut meter,
        } = match &message.ask {
            Ok(ask) => self.decide(ask, message.trace, deadline).await,
            Err(problem) => Told::refused(problem.clone()),
        };
        let (outcome, acknowledged) = match fate {
            Fate::Final { outcome } => (outcome, true),
            Fate::NotYet { outcome } => (outcome, false),
            Fate::Refused(problem) => {
                let outcome = problem.kind.code();
                match self.dead_letters.send(&message.letter, &problem).await {
                    Ok(()) => {
                        meter = meter.count(Metric::DeadLettered, 1);
                        (outcome, true)
                    }
                    Err(why) => {
                        log::unsent(message.id, &why);
                        (outcome, false)
                    }
                }
            }
        };
        meter = meter.count(Metric::NotYet, (!acknowledged).into());
        log::line(message, operation.as_ref(), outcome, acknowledged, &meter);
        acknowledged
    }

    async fn decide(&self, ask: &Ask, trace: Option<TraceParent>, deadline: Timestamp) -> Told {
        let call = Call {
            scope: Scope {
                tenant: self.tenant.clone(),
                operation: self.operation.clone(),
                key: ask.key.clone(),
            },
            request: ask.request.clone(),
            respond: Respond::Now,
            trace,
        };
        let budget = Budget {
            deadline,
            wait: self.decider.settings.default_wait,
        };
        let begun = Instant::now();
        let outcome = self.decider.decide(&call, budget).await;
        Told::of(outcome, begun.elapsed())
    }
}

/// Whoever sent it knows best; a queue hands X-Ray's header on.
fn trace_of(record: &SqsMessage, context: &Context) -> Option<TraceParent> {
    let own: Vec<_> = record.attribute("traceparent").into_iter().collect();
    trace::of(&own, record.trace_header(), context)
}

impl Message<'_> {
    /// Copies of one operation have one key; what is none is alone.
    fn lane(&self) -> Result<&IdempotencyKey, &str> {
        self.ask.as_ref().map(|ask| &ask.key).map_err(|_| self.id)
    }
}
