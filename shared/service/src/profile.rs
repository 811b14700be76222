//! Two ways to say the same: this project's table of answers (design.md §2), and that of the IETF's draft.
//!
//! | situation | default | `ietf` |
//! |---|---|---|
//! | being processed by another worker | 202 with the operation's status | 409 `in-progress` |
//! | replay of a decision | 200, `Idempotent-Original-Status: 201` | 201 |
//! | `key-reused`, `result-expired`, `already-decided` | 409 | 422 |
//!
//! Everything else is the same: headers, advice, what is stored, and the bytes of a decision. The draft is draft-ietf-httpapi-idempotency-key-header-07, §2.6 and §2.7.

use decide_once_protocol::record::FinalCode;

use crate::problem::Kind;

/// Which table of answers a deployment has: `CONTRACT_PROFILE`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// This project's.
    #[default]
    Default,
    /// The draft's.
    Ietf,
}

impl Profile {
    /// Reads the variable's value.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "default" => Some(Self::Default),
            "ietf" => Some(Self::Ietf),
            _ => None,
        }
    }

    /// The status of a replayed decision.
    #[must_use]
    pub const fn replay_status(self) -> u16 {
        match self {
            Self::Default => 200,
            Self::Ietf => 201,
        }
    }
}

impl Kind {
    /// The HTTP status under a profile.
    #[must_use]
    pub const fn status(&self, profile: Profile) -> u16 {
        match (self, profile) {
            (
                Self::KeyReused | Self::ResultExpired | Self::Final(FinalCode::AlreadyDecided(_)),
                Profile::Ietf,
            ) => 422,
            (kind, Profile::Default | Profile::Ietf) => kind.default_status(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use decide_once_protocol::ids::DecisionId;

    use super::*;
    use crate::problem::{Problem, Retry};

    #[test]
    fn the_two_tables_beside_each_other() {
        let decided = Kind::Final(FinalCode::AlreadyDecided(DecisionId::from_random([7; 16])));
        let table = [
            (Kind::KeyMissing, 400, 400, Retry::Never),
            (Kind::KeyInvalid, 400, 400, Retry::Never),
            (Kind::BodyInvalid, 400, 400, Retry::Never),
            (Kind::QueryInvalid, 400, 400, Retry::Never),
            (Kind::Unauthenticated, 401, 401, Retry::Never),
            (Kind::Forbidden, 403, 403, Retry::Never),
            (Kind::NotFound, 404, 404, Retry::Never),
            (Kind::RouteUnknown, 404, 404, Retry::Never),
            (Kind::MethodNotAllowed, 405, 405, Retry::Never),
            (Kind::InProgress, 409, 409, Retry::SameKey),
            (Kind::KeyReused, 409, 422, Retry::Never),
            (Kind::ResultExpired, 409, 422, Retry::Never),
            (decided, 409, 422, Retry::Never),
            (Kind::Gone, 410, 410, Retry::Never),
            (Kind::BodyTooLarge, 413, 413, Retry::Never),
            (Kind::MediaTypeUnsupported, 415, 415, Retry::Never),
            (Kind::FactsInvalid, 422, 422, Retry::Never),
            (Kind::PolicyUnknown, 422, 422, Retry::Never),
            (
                Kind::Final(FinalCode::DecisionFailed),
                422,
                422,
                Retry::NewKey,
            ),
            (
                Kind::Final(FinalCode::ResultTooLarge),
                422,
                422,
                Retry::NewKey,
            ),
            (
                Kind::Final(FinalCode::AttemptsExhausted),
                422,
                422,
                Retry::NewKey,
            ),
            (Kind::TooManyMismatches, 429, 429, Retry::Never),
            (Kind::Unavailable, 503, 503, Retry::SameKey),
        ];
        let codes = table.clone().map(|(kind, ..)| kind.code());
        for (kind, default, ietf, retry) in table {
            assert_eq!(kind.status(Profile::Default), default, "{kind:?}");
            assert_eq!(kind.status(Profile::Ietf), ietf, "{kind:?}");
            assert_eq!(kind.retry(), retry, "{kind:?}");
            let problem = Problem::new(kind, "why");
            let body = problem.to_json_under(Profile::Ietf);
            assert!(body.contains(&format!(r#""status":{ietf},"#)), "{body}");
        }
        let every = Kind::every();
        assert!(every.iter().all(|kind| codes.contains(&kind.code())));
        assert_eq!(every.len(), codes.len());
        assert_eq!(Profile::Default.replay_status(), 200);
        assert_eq!(Profile::Ietf.replay_status(), 201);
    }

    #[test]
    fn a_profile_has_one_name() {
        assert_eq!(Profile::parse("default").unwrap(), Profile::Default);
        assert_eq!(Profile::parse("ietf").unwrap(), Profile::Ietf);
        for other in ["", "IETF", "ietf "] {
            assert_eq!(Profile::parse(other), None);
        }
    }
}
