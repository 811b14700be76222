//! An effect elsewhere: claimed before, finished after.

use decide_once_protocol::ids::OwnerToken;
use decide_once_protocol::inbox::{Begun, Claim, CloudEvent, DownstreamKey, Ended, MarkId, NotYet};
use decide_once_protocol::time::Timestamp;

use super::{Consumer, EffectError, Failure, Handled};
use crate::crash_point;
use crate::patience::Sends;
use crate::ports::{Clock, Ids, Inbox};
use crate::settings::{LEASE_FLOOR, LEASE_MARGIN};

/// How often a finish is sent. The SDK below retries too.
const FINISHES: u8 = 4;

impl<N: Inbox, C: Clock, I: Ids> Consumer<N, C, I> {
    /// Has an effect that is not in the inbox's own store, until `deadline` at the latest.
    ///
    /// A worker that dies before it could finish leaves the effect to the next one, which asks for it again. So the other side has to know
    /// the repetition: by the key that is handed in, the same for every attempt at this event.
    pub async fn leased<F>(
        &self,
        event: &CloudEvent,
        deadline: Timestamp,
        effect: impl FnOnce(DownstreamKey) -> F + Send,
    ) -> Handled
    where
        F: Future<Output = Result<(), EffectError>> + Send,
    {
        let Some(watch) = self.watch(deadline) else {
            return Handled::Failed(Failure::OutOfTime);
        };
        let id = MarkId::of(&self.name, &event.name);
        if let Some(handled) = self.beyond_marks(event, &id, watch).await {
            return handled;
        }
        let claim = self.claim(id.clone(), deadline);
        let answer = watch.ask(self.inbox.claim(&claim)).await;
        let mut begun = match answer {
            Some(answer) => claim.settle(answer),
            None => Begun::Look(claim),
        };
        let granted = loop {
            begun = match begun {
                Begun::Granted(granted) => break granted,
                Begun::Duplicate => return Handled::Duplicate,
                Begun::NotYet(why) => return why.into(),
                Begun::Look(claim) => match self.look(&id, watch).await {
                    Some(found) => claim.settle_read(found),
                    None => return NotYet::Unclear.into(),
                },
            };
        };
        crash_point!("before_effect");
        let effect = effect(DownstreamKey::of(&self.name, &event.name));
        let had = watch.ask(effect).await.unwrap_or_else(|| {
            let why = "it took longer than the invocation has".to_owned();
            Err(EffectError::Unavailable(why))
        });
        crash_point!("after_effect");
        if let Err(why) = had {
            // Whatever becomes of it: the claim lapses.
            drop(watch.ask(self.inbox.release(&granted.release())).await);
            return why.into();
        }
        let mut sends = Sends::default();
        let mut left = FINISHES;
        let mut ended = Ended::Again(granted.finish(self.clock.now(), self.retention));
        loop {
            ended = match ended {
                Ended::Done => return Handled::Done,
                Ended::NotYet(why) => return why.into(),
                Ended::Again(_) if left == 0 => return NotYet::Unavailable.into(),
                Ended::Again(finish) => {
                    left -= 1;
                    sends.pause().await;
                    match watch.ask(self.inbox.finish(&finish)).await {
                        Some(answer) => finish.settle(answer),
                        None => Ended::Look(finish),
                    }
                }
                Ended::Look(finish) => match self.look(&id, watch).await {
                    Some(found) => finish.settle_read(found),
                    None => return NotYet::Unclear.into(),
                },
            };
        }
    }

    /// Until the invocation's end, with a margin for clocks that differ, and never so short that its own first write outlasts it.
    fn claim(&self, id: MarkId, deadline: Timestamp) -> Claim {
        let now = self.clock.now();
        let lease = (now.until(deadline) + LEASE_MARGIN).max(LEASE_FLOOR);
        Claim {
            id,
            owner: OwnerToken::from_random(self.ids.owner()),
            lapses: now.plus(lease),
            now,
        }
    }
}
