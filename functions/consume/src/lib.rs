//! The consume function: events of a queue to balances, each event once.
//!
//! An example of a consumer, complete: `docs/consumers.md` tells how to write another. A message becomes an event ([`message`]), one table says
//! which effect it has ([`effects`]), and `decide-once-service` has that effect once: in one transaction with its mark
//! ([`balances`]), or elsewhere under a key that is the same for every attempt ([`desk`]).

mod balances;
mod config;
mod desk;
mod effects;
mod log;
mod message;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use decide_once_client::HttpTransport;
use decide_once_dynamodb::{DynamoInbox, client_from_env};
use decide_once_lambda::batch::BatchResponse;
use decide_once_lambda::remaining;
use decide_once_lambda::sqs::SqsEvent;
use decide_once_protocol::inbox::CloudEvent;
use decide_once_protocol::time::Timestamp;
use decide_once_service::batch::in_lanes;
use decide_once_service::consume::{Consumer, Handled};
use decide_once_service::logging;
use decide_once_service::ports::Clock as _;
use decide_once_service::system::{SystemClock, SystemIds};
pub use lambda_runtime::Error;
use lambda_runtime::{LambdaEvent, service_fn};

use crate::balances::Balances;
use crate::config::Config;
pub use crate::effects::{Effect, of as effect_of};
pub use crate::message::Message;

/// How many subjects are worked on at once: each waits for the store most of its time.
const AT_ONCE: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9);

/// The function with all that it needs.
#[derive(Debug)]
struct App {
    consumer: Consumer<DynamoInbox, SystemClock, SystemIds>,
    balances: Balances,
    desk: Option<HttpTransport>,
}

/// What became of a message.
#[derive(Debug)]
enum Outcome {
    /// It is this consumer's.
    Handled(Handled),
    /// It is not: acknowledged, without an effect.
    NotOurs,
}

/// Runs the function until its process ends: configuration and clients once, then batch by batch.
///
/// # Errors
/// A variable is missing or wrong, or the Runtime API is gone. Said before the first batch is taken.
pub async fn run() -> Result<(), Error> {
    logging::init("consume")?;
    let config = Config::from_env()?;
    let client = client_from_env().await?;
    let app = Arc::new(App {
        consumer: Consumer {
            name: config.name,
            inbox: DynamoInbox::new(client.clone(), config.inbox),
            clock: SystemClock,
            ids: SystemIds,
            retention: config.retention,
        },
        balances: Balances {
            client,
            table: config.balances,
        },
        desk: config.desk,
    });
    lambda_runtime::run(service_fn(move |event: LambdaEvent<SqsEvent>| {
        let app = Arc::clone(&app);
        // Boxed: what the runtime wraps around it would be a type too deep for the compiler.
        Box::pin(async move { Ok::<_, Error>(app.consume(event).await) })
    }))
    .await
}

impl App {
    /// Subjects side by side, the events of one in single file: behind one that failed for now its later ones fail as well, so that they
    /// do not overtake it.
    async fn consume(&self, event: LambdaEvent<SqsEvent>) -> BatchResponse {
        // The remaining time comes from Lambda's clock, the deadline is told in this worker's.
        let deadline = self.consumer.clock.now().plus(remaining(&event.context));
        let messages: Vec<_> = event.payload.records.iter().map(Message::read).collect();
        let outcomes = in_lanes(
            &messages,
            Message::lane,
            AT_ONCE,
            |message| self.handle(message, deadline),
            Outcome::lets_others_pass,
        )
        .await;
        log::batch(&messages, &outcomes);
        let failed = messages.iter().zip(&outcomes);
        let failed = failed.filter(|(_, outcome)| !is_acknowledged(outcome.as_ref()));
        BatchResponse::of_failed(failed.map(|(message, _)| message.id.to_owned()))
    }

    async fn handle(&self, message: &Message<'_>, deadline: Timestamp) -> Outcome {
        let event = match &message.event {
            Ok(event) => event,
            Err(why) => return Outcome::Handled(why.clone().into()),
        };
        let effect = match effect_of(event) {
            Ok(Some(effect)) => effect,
            Ok(None) => return Outcome::NotOurs,
            Err(why) => return Outcome::Handled(why.into()),
        };
        match (&effect, &self.desk) {
            (Effect::Review, None) => Outcome::NotOurs,
            (Effect::Review, Some(desk)) => {
                Outcome::Handled(self.review(event, desk, deadline).await)
            }
            (Effect::Add { .. } | Effect::Stand { .. }, _) => {
                // From the second time on a condition was false: then it is looked at what stands.
                let refused = AtomicBool::new(false);
                let items = || {
                    let refused = refused.swap(true, Ordering::Relaxed);
                    self.balances.items(event, &effect, refused)
                };
                Outcome::Handled(self.consumer.together(event, deadline, items).await)
            }
        }
    }

    async fn review(
        &self,
        event: &CloudEvent,
        desk: &HttpTransport,
        deadline: Timestamp,
    ) -> Handled {
        let ask = |key| async move { desk::ask(desk, event, &key).await };
        self.consumer.leased(event, deadline, ask).await
    }
}

impl Outcome {
    const fn lets_others_pass(&self) -> bool {
        match self {
            Self::Handled(handled) => handled.lets_others_pass(),
            Self::NotOurs => true,
        }
    }
}

/// A message that was not even begun is not.
fn is_acknowledged(outcome: Option<&Outcome>) -> bool {
    match outcome {
        Some(Outcome::Handled(handled)) => handled.is_acknowledged(),
        Some(Outcome::NotOurs) => true,
        None => false,
    }
}
