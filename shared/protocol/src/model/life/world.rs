//! A state of the model, and the callers in it.

use std::time::Duration;

use super::store::{Store, Write};
use super::{Config, LEASE, Mutant, QUEUE_PATIENCE, RETENTION};
use crate::answer::Verdict;
use crate::classify::{Caller, Sameness};
use crate::envelope::EventLimit;
use crate::fingerprint::{Fingerprint, Scheme};
use crate::flow::{Decision, Done, EventDraft, Moment, Remembered, Reserver, Step};
use crate::ids::{DecisionId, OwnerToken};
use crate::key::IdempotencyKey;
use crate::members::Members;
use crate::record::{
    Carried, FinalCode, Identity, PolicyPin, Record, Retention, RetryCause, Seed, State, Terms,
};
use crate::request::{PolicyId, PolicyVersion, Subject};
use crate::scope::{OperationId, Tenant};
use crate::time::Timestamp;

/// Everything that distinguishes one moment of a history from another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    pub(crate) now: Timestamp,
    pub(crate) store: Store,
    pub(crate) workers: Vec<Worker>,
    /// Writes that were sent, were not heard of, and may still arrive.
    pub(crate) late: Vec<Late>,
    pub(crate) faults: u8,
    pub(crate) short_ticks: u8,
    pub(crate) long_ticks: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Late {
    pub(crate) write: Write,
    pub(crate) sent: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Worker {
    pub(crate) requests: u8,
    /// Makes owner tokens and decision ids fresh.
    pub(crate) claims: u8,
    pub(crate) running: Option<(Errand, Step)>,
    pub(crate) memory: Memory,
}

/// The answer that a worker has seen last, if it remembers answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Memory {
    None,
    Empty,
    Holds(Remembered),
}

impl Worker {
    pub(crate) const fn is_at_a_local_step(&self) -> bool {
        matches!(self.running, Some((_, Step::Evaluate(_) | Step::Wait(_))))
    }

    fn remember(&mut self, done: &Done) {
        if self.memory != Memory::None
            && let Some(answer) = Remembered::of(done)
        {
            self.memory = Memory::Holds(answer);
        }
    }
}

/// Which request is sent under the one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Payload {
    A,
    B,
}

/// What a worker is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Errand {
    pub(crate) payload: Payload,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A caller waits.
    Post,
    /// A caller does not wait.
    PostAsync,
    /// A queued operation is gone on with.
    Resume,
}

/// One worker's view while it handles a request.
pub(crate) struct ModelCaller {
    pub(crate) errand: Errand,
    pub(crate) mutant: Mutant,
    decision: [u8; 16],
}

impl World {
    pub(crate) fn new(config: &Config) -> Self {
        let idle = |&requests| Worker {
            requests,
            claims: 0,
            running: None,
            memory: if config.remembers {
                Memory::Empty
            } else {
                Memory::None
            },
        };
        let now = Timestamp::from_millis(1_796_083_200_000).unwrap_or(Timestamp::EPOCH);
        let mut store = Store::default();
        if config.attempts_before > 0 {
            store.record = Some(used_up(config.attempts_before, now));
        }
        Self {
            now,
            store,
            workers: config.requests.iter().map(idle).collect(),
            late: Vec::new(),
            faults: config.faults,
            short_ticks: config.short_ticks,
            long_ticks: config.long_ticks,
        }
    }

    pub(crate) fn caller(&self, who: usize, errand: Errand, config: &Config) -> ModelCaller {
        ModelCaller {
            errand,
            mutant: config.mutant,
            decision: token(who, self.workers[who].claims, 1),
        }
    }

    pub(crate) fn moment(&self, who: usize, config: &Config) -> Moment {
        let now = self.now.plus(config.ahead[who]);
        let owner = OwnerToken::from_random(token(who, self.workers[who].claims, 0));
        Moment {
            now,
            owner,
            lease_until: now.plus(LEASE),
        }
    }

    /// What worker `who` answers without asking the store, if that is what the store would have it answer.
    pub(crate) fn recalled(
        &self,
        who: usize,
        caller: &ModelCaller,
        config: &Config,
    ) -> Result<Option<Done>, &'static str> {
        let Memory::Holds(answer) = &self.workers[who].memory else {
            return Ok(None);
        };
        let now = match config.mutant {
            Mutant::RemembersForEver => answer.record().updated,
            _ => self.moment(who, config).now,
        };
        let recalled = answer.recall(caller, now);
        if recalled.is_some() && Some(answer.record()) != self.store.record.as_ref() {
            return Err("an answer was remembered that does not stand any more");
        }
        Ok(recalled)
    }

    /// Worker `who` is at `step` now. An answer is judged and ends the request.
    pub(crate) fn arrive(
        &mut self,
        who: usize,
        errand: Errand,
        step: Step,
    ) -> Result<(), &'static str> {
        let owner = OwnerToken::from_random(token(who, self.workers[who].claims, 0));
        if let Step::Claim(claim) = &step
            && claim.next().fence.owner == owner
        {
            self.workers[who].claims += 1;
        }
        match step {
            Step::Done(done) => {
                self.workers[who].running = None;
                self.workers[who].remember(&done);
                self.answered(errand.payload, &done)
            }
            step @ (Step::Claim(_)
            | Step::Recheck(_)
            | Step::Evaluate(_)
            | Step::Commit(_)
            | Step::Surrender(_)
            | Step::Wait(_)) => {
                self.workers[who].running = Some((errand, step));
                Ok(())
            }
        }
    }

    fn answered(&mut self, payload: Payload, done: &Done) -> Result<(), &'static str> {
        match done {
            Done::Committed(committed) => self.told(payload, committed.record()),
            Done::Finished(record) | Done::Surrendered(record) => self.told(payload, record),
            Done::Queued(record) | Done::InProgress(record)
                if record.identity.exact != payload.fingerprint() =>
            {
                Err("a status went to another request")
            }
            Done::Queued(_)
            | Done::InProgress(_)
            | Done::Mismatch { .. }
            | Done::ResultExpired { .. }
            | Done::NotReserved
            | Done::TryAgain(_) => Ok(()),
        }
    }

    fn told(&mut self, payload: Payload, record: &Record) -> Result<(), &'static str> {
        if record.identity.exact != payload.fingerprint() {
            return Err("an answer went to another request");
        }
        match &record.state {
            State::Succeeded { answer, .. } => {
                let outcome = answer.inline.as_ref().map(|verdict| &verdict.outcome);
                match &self.store.decided {
                    Some((decided, _)) if Some(decided) == outcome && self.store.events == 1 => {
                        Ok(())
                    }
                    Some(_) | None => Err("an answer differs from the decision that was committed"),
                }
            }
            State::FailedFinal { failure, .. } if advises_new_key(&failure.code) => {
                if self.store.decided.is_some() {
                    return Err("a new key was advised where a decision was committed");
                }
                self.store.new_key_advised = true;
                Ok(())
            }
            State::FailedFinal { .. }
            | State::FailedRetryable { .. }
            | State::Processing { .. } => Ok(()),
        }
    }
}

fn advises_new_key(code: &FinalCode) -> bool {
    !matches!(code, FinalCode::AlreadyDecided(_))
}

impl Payload {
    pub(crate) const fn fingerprint(self) -> Fingerprint {
        match self {
            Self::A => Fingerprint::from_bytes([0xa; 32]),
            Self::B => Fingerprint::from_bytes([0xb; 32]),
        }
    }

    /// Of a request that `record` belongs to.
    pub(crate) fn of(record: &Record) -> Self {
        if record.identity.exact == Self::B.fingerprint() {
            Self::B
        } else {
            Self::A
        }
    }

    /// What a record carries; the model's callers never read it.
    fn carried(self) -> Carried {
        #![expect(clippy::unwrap_used, reason = "constants of the model")]
        let body = if self == Self::A { "a" } else { "b" };
        Carried::from_parts(IdempotencyKey::parse("k").unwrap(), body)
    }
}

/// Fresh bytes for worker `who`.
fn token(who: usize, claims: u8, kind: u8) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[0] = u8::try_from(who).unwrap_or(u8::MAX) + 1;
    bytes[1] = claims;
    bytes[2] = kind;
    bytes
}

impl Caller for ModelCaller {
    fn sameness(&self, record: &Record) -> Sameness {
        if self.mutant == Mutant::NoFingerprint
            || record.identity.exact == self.errand.payload.fingerprint()
        {
            Sameness::Same
        } else {
            Sameness::Different {
                pointers: Vec::new(),
            }
        }
    }

    fn retention(&self, _: &PolicyPin) -> Option<Retention> {
        Some(RETENTION)
    }

    fn queue_patience(&self) -> Duration {
        match self.errand.kind {
            Kind::Post | Kind::PostAsync => QUEUE_PATIENCE,
            Kind::Resume => Duration::ZERO,
        }
    }
}

impl Reserver for ModelCaller {
    fn reservation(&self, moment: &Moment) -> Option<Record> {
        let terms = Terms {
            now: moment.now,
            lease_until: moment.lease_until,
            retention: RETENTION,
        };
        let seed = seed(self.errand.payload, self.decision);
        match self.errand.kind {
            Kind::Post => Some(Record::reserved(seed, moment.owner, terms)),
            Kind::PostAsync => Some(Record::queued(
                seed,
                moment.owner,
                moment.now,
                self.errand.payload.carried(),
            )),
            Kind::Resume => None,
        }
    }
}

fn seed(payload: Payload, decision: [u8; 16]) -> Seed {
    #![expect(clippy::unwrap_used, reason = "constants of the model")]
    Seed {
        operation: OperationId::parse(&"a".repeat(52)).unwrap(),
        tenant: Tenant::parse("t").unwrap(),
        identity: Identity {
            scheme: Scheme::V1,
            exact: payload.fingerprint(),
            normalised: payload.fingerprint(),
            members: Members::default(),
        },
        pin: PolicyPin {
            id: PolicyId::parse("p").unwrap(),
            version: PolicyVersion::new(1).unwrap(),
            digest: [0; 32],
        },
        decision: DecisionId::from_random(decision),
    }
}

/// A record whose first `attempts` attempts were given up.
fn used_up(attempts: u32, now: Timestamp) -> Record {
    let owner = OwnerToken::from_random([0xff; 16]);
    let terms = Terms {
        now,
        lease_until: now.plus(LEASE),
        retention: RETENTION,
    };
    let mut record = Record::reserved(seed(Payload::A, [0xff; 16]), owner, terms);
    record.fence.attempt = attempts;
    record.released(RetryCause::Deadline, now)
}

/// What a worker decides: another outcome for each attempt, so that two decisions never look alike.
pub(crate) fn decision(reservation: &crate::flow::Reservation, who: usize) -> Decision {
    #![expect(clippy::unwrap_used, reason = "constants of the model")]
    let kind = "e".to_owned();
    Decision {
        verdict: Verdict {
            rule: "r".to_owned(),
            outcome: format!(r#"{{"by":{who},"attempt":{}}}"#, reservation.attempt()),
            event_types: vec![kind.clone()],
        },
        events: vec![EventDraft {
            kind,
            data: "{}".to_owned(),
        }],
        claims: Vec::new(),
        key: IdempotencyKey::parse("k").unwrap(),
        subject: Subject::parse("s").unwrap(),
        source: "t".to_owned(),
        event_limit: EventLimit::default(),
        trace: None,
    }
}
