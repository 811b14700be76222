//! The sink: a bus that takes events, or not, or does not say so, and hands them to both consumers' queues.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use decide_once_protocol::ids::EventId;
use decide_once_protocol::outbox::OutboxRow;
use decide_once_service::ports::{SendError, Sink};
use tokio::time::sleep;

use crate::bug::Bug;
use crate::chance::{Consumer, Who};
use crate::consumers;
use crate::journal::What;
use crate::line::Line;
use crate::world::World;

/// A process's way to the bus.
#[derive(Debug)]
pub(crate) struct Bus {
    line: Line,
    world: Arc<World>,
}

impl Bus {
    pub(crate) const fn new(line: Line, world: Arc<World>) -> Self {
        Self { line, world }
    }

    async fn send_one(&self, row: &OutboxRow) -> Result<(), SendError> {
        let (id, text) = (
            self.id_of(row),
            Arc::<str>::from(row.event.to_cloud_event()),
        );
        if self.world.plan.bug == Some(Bug::AcknowledgedBeforeSent) {
            let (world, life, who) = (Arc::clone(&self.world), self.line.life(), self.line.who());
            self.world.spawn(async move {
                sleep(Duration::from_millis(40)).await;
                if !life.is_over() {
                    arrive(&world, who, id, &text);
                }
            });
            return Ok(());
        }
        let (place, often) = (self.line.next(), self.world.plan.weather.network);
        if self
            .world
            .goes_wrong(place, "the sink refuses an event for good", often / 10)
        {
            return Err(SendError::Poison("refused".to_owned()));
        }
        let (world, who) = (Arc::clone(&self.world), self.line.who());
        let sent = self.line.call("send", move |_| {
            arrive(&world, who, id.clone(), &text);
            Ok::<_, decide_once_service::ports::StoreError>(())
        });
        sent.await
            .map_err(|_| SendError::Unavailable("no answer".to_owned()))
    }

    fn id_of(&self, row: &OutboxRow) -> EventId {
        if self.world.plan.bug == Some(Bug::NewIdEachSend) {
            return row.event.id.decision().event(1_000 + self.world.number());
        }
        row.event.id.clone()
    }
}

impl Sink for Bus {
    fn at_once(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    async fn send(&self, rows: &[&OutboxRow]) -> Vec<Result<(), SendError>> {
        let mut verdicts = Vec::with_capacity(rows.len());
        for row in rows {
            verdicts.push(self.send_one(row).await);
        }
        verdicts
    }
}

/// The bus has an event: both consumers get it, each as often as its queue likes.
fn arrive(world: &Arc<World>, who: Who, id: EventId, text: &Arc<str>) {
    world.note(who, What::Arrives(id, Arc::clone(text)));
    for consumer in [Consumer::Balances, Consumer::Desk] {
        consumers::queue(world, consumer, text);
    }
}
