//! An effect in the inbox's own store: one transaction with its mark.

use decide_once_protocol::ids::OwnerToken;
use decide_once_protocol::inbox::{CloudEvent, Keep, Kept, MarkId, NotYet};
use decide_once_protocol::time::Timestamp;

use super::{Consumer, EffectError, Failure, Handled, Watch};
use crate::crash_point;
use crate::patience::Sends;
use crate::ports::{Clock, Effects, Ids};

/// How often a transaction is sent. The SDK below retries too.
const SENDS: u8 = 6;

/// How often an effect is made anew, because what it depends on has changed meanwhile.
const LOOKS: u8 = 8;

impl<N: Effects, C: Clock, I: Ids> Consumer<N, C, I> {
    /// Has an effect that is in the inbox's own store, until `deadline` at the latest.
    ///
    /// `effect` makes it: of the event alone (a relative one: "add 5"), or of what it reads (an absolute one: "set to X, if it still
    /// is Y"). The latter is made again where its condition turns out to be false.
    pub async fn together<F>(
        &self,
        event: &CloudEvent,
        deadline: Timestamp,
        effect: impl Fn() -> F + Send,
    ) -> Handled
    where
        F: Future<Output = Result<N::Effect, EffectError>> + Send,
    {
        let Some(watch) = self.watch(deadline) else {
            return Handled::Failed(Failure::OutOfTime);
        };
        let id = MarkId::of(&self.name, &event.name);
        if let Some(handled) = self.beyond_marks(event, &id, watch).await {
            return handled;
        }
        let mut looks = Sends::default();
        for _ in 0..LOOKS {
            looks.pause().await;
            let made = match watch.ask(effect()).await {
                Some(Ok(made)) => made,
                Some(Err(why)) => return why.into(),
                None => return Handled::Failed(Failure::OutOfTime),
            };
            if let Some(handled) = self.have(&made, &id, watch).await {
                return handled;
            }
        }
        Handled::Failed(Failure::Contended)
    }

    /// `None`: a condition of the effect itself was false.
    async fn have(&self, effect: &N::Effect, id: &MarkId, watch: Watch) -> Option<Handled> {
        crash_point!("before_effect");
        let now = self.clock.now();
        let mut sends = Sends::default();
        let mut left = SENDS;
        let mut kept = Kept::Again(Keep {
            id: id.clone(),
            until: self.retention.until(now),
            now,
            token: OwnerToken::from_random(self.ids.owner()),
        });
        loop {
            kept = match kept {
                Kept::Done => {
                    crash_point!("after_effect");
                    return Some(Handled::Done);
                }
                Kept::Duplicate => return Some(Handled::Duplicate),
                Kept::EffectRefused => return None,
                Kept::NotYet(why) => return Some(why.into()),
                Kept::Again(_) if left == 0 => return Some(NotYet::Unavailable.into()),
                Kept::Again(keep) => {
                    left -= 1;
                    sends.pause().await;
                    match watch.ask(self.inbox.have(effect, &keep)).await {
                        Some(answer) => keep.settle(answer),
                        None => Kept::Look(keep),
                    }
                }
                Kept::Look(keep) => match self.look(id, watch).await {
                    Some(found) => keep.settle_read(found),
                    None => return Some(NotYet::Unclear.into()),
                },
            };
        }
    }
}
