//! The states of an operation, and what each carries.

use super::carried::Carried;
use super::expiry::Expiry;
use crate::answer::StoredAnswer;
use crate::ids::DecisionId;
use crate::time::Timestamp;

/// The states of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Somebody is deciding.
    Processing {
        /// Who has it.
        hold: Hold,
        /// For how long, if its owners all die.
        keep: Keep,
    },
    /// Decided and committed.
    Succeeded {
        /// What is replayed.
        answer: StoredAnswer,
        /// Until when.
        expiry: Expiry,
    },
    /// This attempt failed; the next may not.
    FailedRetryable {
        /// Why.
        cause: RetryCause,
        /// For how long, if nobody retries.
        keep: Keep,
    },
    /// The request can never be decided.
    FailedFinal {
        /// What is replayed.
        failure: FinalFailure,
        /// Until when.
        expiry: Expiry,
    },
}

/// Who has an operation that is PROCESSING.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hold {
    /// Nobody yet: it is attempt 0, and whoever looks after the queue takes it over.
    Queued,
    /// Its owner, and others leave it alone until then (the margin is included); lapsed *at* this instant.
    Leased(Timestamp),
}

/// For how long an operation that is not final is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// Until its key is retired: only its caller can go on with it, and does not come back.
    Until(Timestamp),
    /// Until it is final, however long that takes: its request is here and its caller was told so.
    Carrying(Carried),
}

/// The name of a state: what a condition on the state tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateName {
    /// [`State::Processing`]
    Processing,
    /// [`State::Succeeded`]
    Succeeded,
    /// [`State::FailedRetryable`]
    FailedRetryable,
    /// [`State::FailedFinal`]
    FailedFinal,
}

impl StateName {
    /// The stored and shown form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Processing => "PROCESSING",
            Self::Succeeded => "SUCCEEDED",
            Self::FailedRetryable => "FAILED_RETRYABLE",
            Self::FailedFinal => "FAILED_FINAL",
        }
    }
}

/// Why an attempt was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RetryCause {
    /// The store did not take the commit. Does not count as an attempt.
    Store,
    /// The time of the invocation ran out.
    Deadline,
    /// A decision or event of this name exists, though the record does not say so: the tables are not of one time, as after a
    /// restore of one of them. Does not count as an attempt, or in the end the caller would be told that nothing was decided.
    Inconsistent,
}

impl RetryCause {
    /// The stored form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Deadline => "deadline",
            Self::Inconsistent => "inconsistent",
        }
    }

    /// Reads the stored form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Store, Self::Deadline, Self::Inconsistent]
            .into_iter()
            .find(|cause| cause.as_str() == text)
    }

    /// Whether an attempt that ended so counts towards [`MAX_ATTEMPTS`](super::MAX_ATTEMPTS).
    #[must_use]
    pub const fn counts(self) -> bool {
        match self {
            Self::Store | Self::Inconsistent => false,
            Self::Deadline => true,
        }
    }
}

/// A failure that is recorded and replayed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FinalFailure {
    /// What kind.
    pub code: FinalCode,
    /// For people: names rules and limits, never values of the request.
    pub detail: String,
}

/// The kinds of final failure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FinalCode {
    /// No rule matched, or a rule could not be evaluated.
    DecisionFailed,
    /// The result is larger than what can be stored.
    ResultTooLarge,
    /// [`MAX_ATTEMPTS`](super::MAX_ATTEMPTS) attempts ended without a result.
    AttemptsExhausted,
    /// Another operation has the natural key; this is its decision.
    AlreadyDecided(DecisionId),
}

impl FinalCode {
    /// The code as stored, and as the problem type's last segment.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::DecisionFailed => "decision-failed",
            Self::ResultTooLarge => "result-too-large",
            Self::AttemptsExhausted => "attempts-exhausted",
            Self::AlreadyDecided(_) => "already-decided",
        }
    }
}

impl State {
    /// The state's name.
    #[must_use]
    pub const fn name(&self) -> StateName {
        match self {
            Self::Processing { .. } => StateName::Processing,
            Self::Succeeded { .. } => StateName::Succeeded,
            Self::FailedRetryable { .. } => StateName::FailedRetryable,
            Self::FailedFinal { .. } => StateName::FailedFinal,
        }
    }

    /// When the key's life ends (before the margin); `None` while it carries a request, which no clock ends.
    #[must_use]
    pub const fn key_expiry(&self) -> Option<Timestamp> {
        match self {
            Self::Processing { keep, .. } | Self::FailedRetryable { keep, .. } => match keep {
                Keep::Until(expiry) => Some(*expiry),
                Keep::Carrying(_) => None,
            },
            Self::Succeeded { expiry, .. } | Self::FailedFinal { expiry, .. } => Some(expiry.key),
        }
    }

    /// Whether the key's life had ended by `before`.
    #[must_use]
    pub fn is_vacant(&self, before: Timestamp) -> bool {
        self.key_expiry().is_some_and(|expiry| expiry <= before)
    }
}
