//! A state of the inbox model.

use std::collections::BTreeSet;

use super::{Config, Mutant, RETENTION, TICK};
use crate::ids::OwnerToken;
use crate::inbox::{
    Claim, ConsumerName, EventName, Finish, FoundMark, Granted, Mark, MarkAnswer, MarkId,
    MarkRetention, MarkState, Release,
};
use crate::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    pub(crate) now: Timestamp,
    pub(crate) mark: Option<Mark>,
    pub(crate) copies: Vec<Copy>,
    /// Writes that were sent, were not heard of, and may still arrive.
    pub(crate) late: Vec<Write>,
    /// The keys under which the other side has had the effect.
    pub(crate) effects: BTreeSet<usize>,
    /// Ghost: until when a finish that was recorded is to be remembered.
    pub(crate) promised: Option<Timestamp>,
    pub(crate) faults: u8,
    pub(crate) ticks: u8,
}

/// Where a copy of the event is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Copy {
    /// In the queue.
    Waiting,
    Claiming(Claim),
    LookingForTheClaim(Claim),
    Working(Granted),
    Finishing(Finish),
    LookingForTheFinish(Finish),
    Releasing(Release),
    Acknowledged,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Write {
    Claim(Claim),
    Finish(Finish),
    Release(Release),
}

impl Copy {
    fn owner(&self) -> Option<OwnerToken> {
        match self {
            Self::Waiting | Self::Acknowledged => None,
            Self::Claiming(claim) | Self::LookingForTheClaim(claim) => Some(claim.owner),
            Self::Working(granted) => Some(granted.clone().release().owner),
            Self::Finishing(finish) | Self::LookingForTheFinish(finish) => Some(finish.owner),
            Self::Releasing(release) => Some(release.owner),
        }
    }
}

impl Write {
    const fn owner(&self) -> OwnerToken {
        match self {
            Self::Claim(Claim { owner, .. })
            | Self::Finish(Finish { owner, .. })
            | Self::Release(Release { owner, .. }) => *owner,
        }
    }
}

impl World {
    pub(crate) fn sent(config: &Config) -> Self {
        #![expect(clippy::unwrap_used, reason = "constants of the model")]
        Self {
            now: Timestamp::from_millis(1_796_083_200_000).unwrap(),
            mark: None,
            copies: vec![Copy::Waiting; config.copies],
            late: Vec::new(),
            effects: BTreeSet::new(),
            promised: None,
            faults: config.faults,
            ticks: config.ticks,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.copies.iter().all(|copy| *copy == Copy::Acknowledged)
    }

    pub(crate) fn claim(&self, mutant: Mutant) -> Claim {
        let lease = match mutant {
            Mutant::NoLease => TICK * 1_000,
            _ => TICK,
        };
        Claim {
            id: id(),
            owner: self.fresh(),
            lapses: self.now.plus(lease),
            now: self.now,
        }
    }

    /// A token that nobody has and nothing carries. One that is forgotten everywhere is as fresh as any: histories that
    /// differ only in tokens are one.
    fn fresh(&self) -> OwnerToken {
        let marked = self.mark.as_ref().and_then(|mark| match mark.state {
            MarkState::Claimed { owner, .. } => Some(owner),
            MarkState::Done { .. } => None,
        });
        let copies = self.copies.iter().filter_map(Copy::owner);
        let late = self.late.iter().map(Write::owner);
        let used: Vec<_> = copies.chain(late).chain(marked).collect();
        let mut tokens = (0..=u8::MAX).map(|number| OwnerToken::from_random([number; 16]));
        let fresh = tokens.find(|token| !used.contains(token));
        fresh.unwrap_or(OwnerToken::from_random([u8::MAX; 16]))
    }

    /// What stands there.
    pub(crate) fn found(&self) -> FoundMark {
        self.mark.clone().map_or(FoundMark::Absent, FoundMark::Mark)
    }

    /// Does what the write's condition permits.
    pub(crate) fn apply(
        &mut self,
        write: &Write,
        mutant: Mutant,
    ) -> Result<MarkAnswer, &'static str> {
        let existing = self.mark.as_ref();
        let permitted = match write {
            Write::Claim(claim) => claim.permits(existing),
            Write::Finish(finish) => mutant == Mutant::FinishUnfenced || finish.permits(existing),
            Write::Release(release) => {
                mutant == Mutant::ReleaseUnfenced || release.permits(existing)
            }
        };
        if !permitted {
            return Ok(MarkAnswer::Refused(self.found()));
        }
        self.mark = match write {
            Write::Claim(claim) => Some(claim.mark()),
            Write::Finish(finish) => Some(finish.mark()),
            Write::Release(_) => None,
        };
        match write {
            Write::Finish(_) if self.effects.is_empty() => {
                return Err("a mark says done, and the effect has not happened");
            }
            Write::Finish(finish) => self.promised = self.promised.max(Some(finish.until)),
            Write::Claim(_) | Write::Release(_) => {}
        }
        Ok(MarkAnswer::Applied)
    }

    /// A worker begins.
    pub(crate) fn grant(&self, granted: Granted) -> Result<Copy, &'static str> {
        if self.promised.is_some_and(|until| self.now < until) {
            return Err("an event that was done was worked on again");
        }
        Ok(Copy::Working(granted))
    }

    /// The other side has the effect. The model has one event and one consumer, and so one key, unless each claim makes one.
    pub(crate) fn have_effect(&mut self, mutant: Mutant) -> Result<(), &'static str> {
        let key = match mutant {
            Mutant::KeyOfTheClaim => self.effects.len(),
            _ => 0,
        };
        self.effects.insert(key);
        if self.effects.len() > 1 {
            return Err("the other side had the effect twice");
        }
        Ok(())
    }

    pub(crate) fn acknowledge(&self) -> Result<Copy, &'static str> {
        if self.effects.is_empty() {
            return Err("an event was acknowledged whose effect has not happened");
        }
        Ok(Copy::Acknowledged)
    }

    /// Whether TTL may take the mark.
    pub(crate) fn expires(&self) -> bool {
        let ttl = self.mark.as_ref().map(|mark| mark.state.ttl());
        ttl.is_some_and(|ttl| ttl.allows_deletion_at(self.now))
    }
}

pub(crate) fn retention() -> MarkRetention {
    #![expect(clippy::unwrap_used, reason = "constants of the model")]
    MarkRetention::new(RETENTION, RETENTION).unwrap()
}

fn id() -> MarkId {
    #![expect(clippy::unwrap_used, reason = "constants of the model")]
    let consumer = ConsumerName::parse("c").unwrap();
    MarkId::of(&consumer, &EventName::new("s", "e").unwrap())
}
