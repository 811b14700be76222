//! The real clock and the real randomness.

use std::time::{SystemTime, UNIX_EPOCH};

use decide_once_protocol::time::Timestamp;
use uuid::Uuid;

use crate::ports::{Clock, Ids};

/// The host's clock; with the feature `local` it is ahead by what `DECIDE_ONCE_LOCAL_CLOCK`'s file says (8 bytes, a
/// little-endian `i64` of milliseconds) and by `DECIDE_ONCE_LOCAL_CLOCK_AHEAD_MS`, the process's own skew.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let millis = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
        #[cfg(feature = "local")]
        let millis = millis.saturating_add(local::ahead());
        Timestamp::from_millis(millis).unwrap_or(Timestamp::EPOCH)
    }
}

#[cfg(feature = "local")]
mod local {
    pub(super) fn ahead() -> i64 {
        steered().unwrap_or(0).saturating_add(own().unwrap_or(0))
    }

    fn steered() -> Option<i64> {
        let path = std::env::var_os("DECIDE_ONCE_LOCAL_CLOCK")?;
        let bytes = std::fs::read(path).ok()?;
        Some(i64::from_le_bytes(bytes.try_into().ok()?))
    }

    fn own() -> Option<i64> {
        std::env::var("DECIDE_ONCE_LOCAL_CLOCK_AHEAD_MS")
            .ok()?
            .parse()
            .ok()
    }
}

/// The operating system's generator: UUIDv4 for owners, UUIDv7 (RFC 9562) for decisions, so that they sort by time.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    fn owner(&self) -> [u8; 16] {
        *Uuid::new_v4().as_bytes()
    }

    fn decision(&self) -> [u8; 16] {
        *Uuid::now_v7().as_bytes()
    }
}
