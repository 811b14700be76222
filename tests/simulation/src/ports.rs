//! The store's ports over a line: each call is the table's, as its caller experiences it.

use decide_once_protocol::decision::DecisionItem;
use decide_once_protocol::ids::{DecisionId, EventId};
use decide_once_protocol::inbox::{
    Claim, Finish, FoundMark, Keep, MarkAnswer, MarkId, Release, Together,
};
use decide_once_protocol::outbox::{Marker, OutboxRow};
use decide_once_protocol::record::Due;
use decide_once_protocol::scope::{OperationId, Tenant};
use decide_once_protocol::time::Timestamp;
use decide_once_protocol::writes::{Answer, Commit, Existing, Reserve, Transition};
use decide_once_service::limits::Window;
use decide_once_service::memory::Change;
use decide_once_service::ports::{
    Effects, Inbox, Marked, Mismatches, Outbox, Queue, Read, Store, StoreError,
};

use crate::line::Line;
use crate::tables::at_once;

impl Store for Line {
    async fn reserve(&self, write: &Reserve) -> Answer {
        let (who, write) = (self.who(), write.clone());
        self.call("reserve", move |world| world.reserve(who, &write))
            .await
    }

    async fn transition(&self, write: &Transition) -> Answer {
        let (who, write) = (self.who(), write.clone());
        self.call("transition", move |world| world.transition(who, &write))
            .await
    }

    async fn commit(&self, write: &Commit) -> Answer {
        let (who, write) = (self.who(), write.clone());
        self.call("commit", move |world| world.commit(who, &write))
            .await
    }

    async fn read_operation(&self, id: &OperationId) -> Result<Existing, StoreError> {
        let id = id.clone();
        self.call("read operation", move |world| world.read_operation(&id))
            .await
    }

    async fn read_decision(&self, id: &DecisionId) -> Result<Read<DecisionItem>, StoreError> {
        let id = id.clone();
        self.call("read decision", move |world| {
            at_once(world.store().read_decision(&id))
        })
        .await
    }
}

impl Mismatches for Line {
    async fn add_mismatches(
        &self,
        tenant: &Tenant,
        window: Window,
        count: u32,
    ) -> Result<u32, StoreError> {
        let tenant = tenant.clone();
        self.call("count mismatches", move |world| {
            at_once(world.store().add_mismatches(&tenant, window, count))
        })
        .await
    }
}

impl Queue for Line {
    async fn due(
        &self,
        lane: u8,
        after: Option<&(OperationId, Due)>,
        by: Timestamp,
        limit: u32,
    ) -> Result<Vec<(OperationId, Due)>, StoreError> {
        self.query("query queue", |world| {
            at_once(world.store().due(lane, after, by, limit))
        })
    }
}

impl Outbox for Line {
    async fn read_row(&self, event: &EventId) -> Result<Read<OutboxRow>, StoreError> {
        let event = event.clone();
        self.call("read row", move |world| {
            at_once(world.store().read_row(&event))
        })
        .await
    }

    async fn mark_delivered(
        &self,
        event: &EventId,
        seen: Marker,
        at: Timestamp,
    ) -> Result<Marked, StoreError> {
        let event = event.clone();
        self.call("mark delivered", move |world| {
            world.mark(
                &event,
                Some(seen),
                world.store().mark_delivered(&event, seen, at),
            )
        })
        .await
    }

    async fn quarantine(
        &self,
        event: &EventId,
        seen: Marker,
        reason: &str,
        at: Timestamp,
    ) -> Result<Marked, StoreError> {
        let (event, reason) = (event.clone(), reason.to_owned());
        self.call("quarantine", move |world| {
            world.mark(
                &event,
                Some(seen),
                world.store().quarantine(&event, seen, &reason, at),
            )
        })
        .await
    }

    async fn redrive(&self, event: &EventId, fresh: Marker) -> Result<Marked, StoreError> {
        let event = event.clone();
        self.call("redrive", move |world| {
            world.mark(&event, None, world.store().redrive(&event, fresh))
        })
        .await
    }

    async fn undelivered(
        &self,
        shard: u8,
        after: Option<Marker>,
        before: Marker,
        limit: u32,
    ) -> Result<Vec<(EventId, Marker)>, StoreError> {
        self.query("query outbox", |world| {
            at_once(world.store().undelivered(shard, after, before, limit))
        })
    }

    async fn quarantined(
        &self,
        shard: u8,
        after: Option<&(EventId, Timestamp)>,
        limit: u32,
    ) -> Result<Vec<(EventId, Timestamp)>, StoreError> {
        self.query("query quarantined", |world| {
            at_once(world.store().quarantined(shard, after, limit))
        })
    }
}

impl Inbox for Line {
    async fn claim(&self, write: &Claim) -> MarkAnswer {
        let write = write.clone();
        self.call("claim", move |world| world.claim(&write)).await
    }

    async fn finish(&self, write: &Finish) -> MarkAnswer {
        let write = write.clone();
        self.call("finish", move |world| at_once(world.store().finish(&write)))
            .await
    }

    async fn release(&self, write: &Release) -> MarkAnswer {
        let write = write.clone();
        self.call("release", move |world| {
            at_once(Inbox::release(world.store(), &write))
        })
        .await
    }

    async fn read_mark(&self, id: &MarkId) -> Result<FoundMark, StoreError> {
        let id = id.clone();
        self.call("read mark", move |world| {
            at_once(world.store().read_mark(&id))
        })
        .await
    }
}

impl Effects for Line {
    type Effect = Change;

    async fn have(&self, effect: &Change, keep: &Keep) -> Together {
        let (effect, keep) = (effect.clone(), keep.clone());
        self.call("effect with mark", move |world| world.have(&effect, &keep))
            .await
    }
}
