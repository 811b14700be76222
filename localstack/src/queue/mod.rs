//! Queues, as SQS has them, and the mappings by which they wake functions.
//!
//! ```text
//!   send ──► waiting ──receive──► in flight ──delete──► gone
//!               ▲                    │ visibility timeout
//!               └────────────────────┘      └──► the dead-letter queue, instead of one more delivery than it allows
//! ```
//!
//! Standard queues: at least once, in no promised order. What a mapping acknowledges is deleted, message by message; everything else becomes visible
//! again when its timeout has passed, by the stack's own clock, so that moving that one moves a queue.

mod event;
mod kept;
mod mapping;
mod message;
mod state;

use std::{
    collections::BTreeMap,
    io,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::Notify;

pub use mapping::{MappingState, QueueMapping};
pub use message::{Delivered, Message};
pub use state::QueueState;

use crate::engine::EngineClock;
use kept::Kept;
use state::State;

/// How long a message lives, whatever becomes of it: SQS's longest.
pub const RETENTION: Duration = Duration::from_hours(14 * 24);

/// How often a queue is looked at for messages that have become visible by themselves.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What a queue goes by.
#[derive(Debug, Clone)]
pub struct Rules {
    /// How long a message that was received is nobody else's.
    pub visibility: Duration,
    /// `RedrivePolicy`; a dead-letter queue has none.
    pub redrive: Option<Redrive>,
}

/// Where a message goes that nobody could handle.
#[derive(Debug, Clone)]
pub struct Redrive {
    /// `maxReceiveCount`: how often it is delivered.
    pub after: u32,
    /// `deadLetterTargetArn`.
    pub to: Arc<Queue>,
}

/// A queue.
#[derive(Debug)]
pub struct Queue {
    name: &'static str,
    rules: Rules,
    clock: EngineClock,
    state: Mutex<State>,
    arrived: Notify,
}

impl Queue {
    /// A queue in memory; with a directory, what it has outlives the stack.
    ///
    /// # Errors
    /// Its file cannot be read or written.
    pub fn open(
        name: &'static str,
        rules: Rules,
        clock: EngineClock,
        data: Option<&Path>,
    ) -> io::Result<Arc<Self>> {
        let kept = data.map(|data| Kept::open(&data.join(format!("queue-{name}.jsonl"))));
        let state = match kept.transpose()? {
            None => State::default(),
            Some((kept, messages)) => State::of(messages, kept),
        };
        Ok(Arc::new(Self {
            name,
            rules,
            clock,
            state: Mutex::new(state),
            arrived: Notify::new(),
        }))
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Puts a message in, and returns its id. From then on it is delivered until it is deleted.
    ///
    /// # Errors
    /// It cannot be kept.
    pub fn send(&self, body: String, attributes: BTreeMap<String, String>) -> io::Result<String> {
        let message = Message::new(body, attributes, self.clock.now_ms());
        let id = message.id.clone();
        self.lock().put(message)?;
        self.arrived.notify_one();
        Ok(id)
    }

    /// Up to `most` messages that are visible. What was delivered too often goes to the dead-letter queue instead.
    pub fn receive(&self, most: usize) -> Vec<Delivered> {
        let now = self.clock.now_ms();
        let allowed = self.rules.redrive.as_ref().map(|redrive| redrive.after);
        let (delivered, dead) = self
            .lock()
            .receive(most, now, self.rules.visibility, allowed);
        for message in dead {
            self.bury(message);
        }
        delivered
    }

    /// Returns when there may be something to receive.
    pub async fn arrival(&self) {
        let arrived = self.arrived.notified();
        let _ = tokio::time::timeout(LOOK_EVERY, arrived).await;
    }

    /// Deletes what was delivered under this receipt; one of an earlier delivery deletes nothing.
    pub fn delete(&self, receipt: &str) {
        self.lock().delete(receipt);
    }

    /// Gives back what was delivered under this receipt, as if it had not been: its function was never started.
    pub fn put_back(&self, receipt: &str) {
        self.lock().put_back(receipt);
    }

    /// Hands in again what the dead-letter queue has, as new messages, and returns how many they were.
    ///
    /// # Errors
    /// One cannot be kept; it stays where it is.
    pub fn redrive(&self) -> io::Result<usize> {
        let Some(redrive) = &self.rules.redrive else {
            return Ok(0);
        };
        let dead = redrive.to.lock().all();
        for message in &dead {
            self.send(message.body.clone(), message.attributes.clone())?;
            redrive.to.lock().remove(&message.id);
        }
        Ok(dead.len())
    }

    /// How it stands.
    pub fn state(&self) -> QueueState {
        let to = self.rules.redrive.as_ref().map(|redrive| redrive.to.name);
        self.lock().shown(self.clock.now_ms(), to)
    }

    /// What is in it, the oldest first.
    pub fn messages(&self) -> Vec<Delivered> {
        self.lock().peek()
    }

    /// It keeps the instant at which it was sent first, as a standard queue's does.
    fn bury(&self, message: Message) {
        let Some(redrive) = &self.rules.redrive else {
            return;
        };
        let id = message.id.clone();
        tracing::warn!(
            queue = self.name,
            message_id = id,
            "a message was delivered as often as its queue allows; the dead-letter queue has it"
        );
        match redrive.to.lock().put(message) {
            Ok(()) => self.lock().remove(&id),
            Err(error) => {
                tracing::error!(%error, "the dead-letter queue could not keep a message; it stays")
            }
        }
    }

    /// A panic elsewhere leaves it usable: each change is one insertion or removal.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    const VISIBILITY: Duration = Duration::from_secs(30);

    fn queue(clock: &EngineClock, redrive: Option<Redrive>) -> Arc<Queue> {
        let rules = Rules {
            visibility: VISIBILITY,
            redrive,
        };
        Queue::open("consume", rules, clock.clone(), None).unwrap()
    }

    fn send(queue: &Queue, body: &str) -> String {
        queue.send(body.to_owned(), BTreeMap::new()).unwrap()
    }

    #[test]
    fn what_is_not_deleted_is_delivered_again_after_its_timeout_and_no_sooner() {
        let clock = EngineClock::steerable(None);
        let queue = queue(&clock, None);
        send(&queue, "one");
        send(&queue, "other");
        let first = queue.receive(10);
        assert_eq!(first.len(), 2);
        queue.delete(&first[0].receipt);
        assert!(queue.receive(10).is_empty());
        clock.advance(VISIBILITY).unwrap();
        let again = queue.receive(10);
        let [again] = &again[..] else {
            panic!("{again:?}");
        };
        assert_eq!((again.message.body.as_str(), again.receives), ("other", 2));
        queue.delete(&first[1].receipt);
        assert_eq!(queue.state().in_flight, 1, "an old receipt deletes nothing");
        queue.delete(&again.receipt);
        assert_eq!((queue.state().in_flight, queue.state().deleted), (0, 2));
    }

    #[test]
    fn what_was_delivered_too_often_goes_to_the_dead_letter_queue_and_comes_back_as_new() {
        let clock = EngineClock::steerable(None);
        let dead = queue(&clock, None);
        let redrive = Redrive {
            after: 2,
            to: Arc::clone(&dead),
        };
        let queue = queue(&clock, Some(redrive));
        let id = send(&queue, "poison");
        for receives in 1..=2 {
            assert_eq!(queue.receive(10)[0].receives, receives);
            clock.advance(VISIBILITY).unwrap();
        }
        assert!(queue.receive(10).is_empty());
        assert_eq!(dead.messages()[0].message.id, id);
        assert_eq!(queue.redrive().unwrap(), 1);
        let again = queue.receive(10);
        assert_eq!(again[0].receives, 1);
        assert_ne!(again[0].message.id, id);
        assert!(dead.messages().is_empty());
    }

    #[test]
    fn a_message_does_not_outlive_its_retention() {
        let clock = EngineClock::steerable(None);
        let queue = queue(&clock, None);
        send(&queue, "old");
        clock.advance(RETENTION).unwrap();
        assert!(queue.receive(10).is_empty());
        assert_eq!(queue.state().expired, 1);
    }

    #[test]
    fn what_a_directory_keeps_is_there_after_a_restart() {
        let directory = tempfile::tempdir().unwrap();
        let open = || {
            let rules = Rules {
                visibility: VISIBILITY,
                redrive: None,
            };
            Queue::open(
                "consume",
                rules,
                EngineClock::real(),
                Some(directory.path()),
            )
            .unwrap()
        };
        let queue = open();
        let attributes = BTreeMap::from([("Idempotency-Key".to_owned(), "k".to_owned())]);
        queue.send("one\n".to_owned(), attributes).unwrap();
        send(&queue, "other");
        let received = queue.receive(1);
        queue.delete(&received[0].receipt);
        drop(queue);
        for _ in 0..2 {
            let queue = open();
            let left = queue.messages();
            assert_eq!(left.len(), 1, "{left:?}");
            assert_eq!(left[0].message.body, "other");
        }
    }
}
