//! What tests of the use-cases stand on: a clock that is moved by hand, ids that count, policies and calls from texts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use decide_once_policy::PolicySet;
use decide_once_protocol::{
    key,
    request::{DecisionRequest, PolicyId, PolicyVersion},
    scope::{OperationName, Scope, Tenant},
    time::Timestamp,
};
use decide_once_service::{
    Call, Respond,
    ports::{Clock, Ids},
};

/// 2026-12-01T00:00:00Z in milliseconds.
pub const START: i64 = 1_796_083_200_000;

/// Stands at [`START`] until it is moved. Clones are moved together.
#[derive(Debug, Clone)]
pub struct ManualClock {
    time: Arc<AtomicI64>,
    ahead: i64,
}

impl Default for ManualClock {
    fn default() -> Self {
        Self {
            time: Arc::new(AtomicI64::new(START)),
            ahead: 0,
        }
    }
}

impl ManualClock {
    /// The clock of a worker that is ahead of the others' by this much, or as much more.
    ///
    /// # Panics
    /// More than the clock can tell.
    #[must_use]
    pub fn ahead(&self, by: Duration) -> Self {
        Self {
            time: Arc::clone(&self.time),
            ahead: self.ahead + i64::try_from(by.as_millis()).unwrap(),
        }
    }

    /// Lets time pass.
    ///
    /// # Panics
    /// More than the clock can tell.
    pub fn advance(&self, by: Duration) {
        let millis = i64::try_from(by.as_millis()).unwrap();
        self.time.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.time.load(Ordering::SeqCst) + self.ahead).unwrap()
    }
}

/// 1, 2, 3, … Clones count on together, so that no two workers ever have one id.
#[derive(Debug, Clone, Default)]
pub struct CountingIds(Arc<AtomicU64>);

impl CountingIds {
    fn next(&self) -> [u8; 16] {
        let number = self.0.fetch_add(1, Ordering::SeqCst) + 1;
        u128::from(number).to_be_bytes()
    }
}

impl Ids for CountingIds {
    fn owner(&self) -> [u8; 16] {
        self.next()
    }

    fn decision(&self) -> [u8; 16] {
        self.next()
    }
}

/// Policies from their texts, and the text of `active.yaml`.
///
/// # Panics
/// They cannot be loaded. Whether each is sound is seen on its first use.
pub fn policies(files: &[(&str, u32, &str)], active: &str) -> PolicySet {
    let files = files.iter().map(|(id, version, text)| {
        let id = PolicyId::parse(id).unwrap();
        let version = PolicyVersion::new(*version).unwrap();
        (id, version, text.as_bytes().to_vec())
    });
    PolicySet::from_files(files, active.as_bytes()).unwrap()
}

/// A `POST /v1/decisions` of a tenant, as the decide function reads it.
///
/// # Panics
/// It would be refused before anything is decided.
pub fn call(tenant: &str, key: &str, body: &str) -> Call {
    Call {
        scope: Scope {
            tenant: Tenant::parse(tenant).unwrap(),
            operation: OperationName::parse("decide").unwrap(),
            key: key::parse_header(&[key.as_bytes()]).unwrap(),
        },
        request: DecisionRequest::parse(body.as_bytes()).unwrap(),
        respond: Respond::Now,
        trace: None,
    }
}
