//! What goes wrong, and how often: each seed has weather of its own, so that each kind of fault is also met alone.

use std::fmt;
use std::time::Duration;

use decide_once_tests::seed::Seed;

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The request does not arrive, and nobody can tell.
    RequestLost,
    /// It is applied, and nobody can tell.
    ReplyLost,
    /// It is applied, the reply is lost, the SDK sends it again and hands out the second answer.
    SentTwice,
    /// Nobody can tell; it is applied after this long.
    Late(Duration),
    /// It is on its way for this long, then applied and answered, whether or not its caller still waits.
    Slow(Duration),
    /// Another transaction was at the items; it is not applied.
    Conflict,
    /// It is not applied.
    Throttled,
    /// Its process dies before the request is sent.
    DiesBefore,
    /// Its process dies when it is applied.
    DiesAfter,
    /// Its process stands still for this long before the request is sent.
    StallsBefore(Duration),
    /// Its process stands still for this long when it is applied.
    StallsAfter(Duration),
}

/// How often, in a thousand calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weather {
    lost: u64,
    twice: u64,
    late: u64,
    conflict: u64,
    throttled: u64,
    dies: u64,
    stalls: u64,
    /// Requests and replies between clients and the front, messages, batches of streams.
    pub(crate) network: u64,
    /// Invocations that have hardly any time.
    pub(crate) hurry: u64,
    /// How much more than too little such an invocation has, at most, in milliseconds.
    pub(crate) band: u64,
    /// The longest lease that the operator allows.
    pub(crate) lease: Duration,
    /// The furthest that a worker's clock is off.
    pub(crate) skew: Duration,
}

/// The furthest that a clock is off in any weather: two of them differ by less than `EXPIRY_MARGIN`, as the operator promises.
pub const FURTHEST: Duration = Duration::from_secs(120);

impl Weather {
    /// Of a seed: each kind of fault is absent, rare or frequent.
    #[must_use]
    pub fn of(seed: &mut Seed) -> Self {
        let mut often = |rates: [u64; 4]| rates[usize::try_from(seed.below(4)).unwrap_or(0)];
        Self {
            lost: often([0, 10, 40, 120]),
            twice: often([0, 0, 20, 80]),
            late: often([0, 10, 30, 100]),
            conflict: often([0, 10, 60, 200]),
            throttled: often([0, 10, 40, 150]),
            dies: often([0, 15, 50, 200]),
            stalls: often([0, 10, 30, 80]),
            network: often([0, 20, 60, 150]),
            hurry: often([0, 0, 50, 950]),
            band: often([8, 30, 150, 500]),
            lease: Duration::from_secs(often([29, 29, 29, 1])),
            skew: Duration::from_millis(often([0, 900, 20_000, 120_000])),
        }
    }

    /// Nothing goes wrong.
    #[must_use]
    pub const fn calm() -> Self {
        Self {
            lost: 0,
            twice: 0,
            late: 0,
            conflict: 0,
            throttled: 0,
            dies: 0,
            stalls: 0,
            network: 0,
            hurry: 0,
            band: 1,
            lease: Duration::from_secs(29),
            skew: Duration::ZERO,
        }
    }

    /// What happens to a call, if anything does.
    pub(crate) fn fault(&self, seed: &mut Seed) -> Option<Fault> {
        let mut at = seed.below(1_000);
        let mut is = |rate: u64| {
            let hit = at < rate;
            at = at.wrapping_sub(rate);
            hit
        };
        if is(self.lost / 2) {
            Some(Fault::RequestLost)
        } else if is(self.lost / 2) {
            Some(Fault::ReplyLost)
        } else if is(self.twice) {
            Some(Fault::SentTwice)
        } else if is(self.late / 2) {
            Some(Fault::Late(span(seed)))
        } else if is(self.late / 2) {
            Some(Fault::Slow(span(seed)))
        } else if is(self.conflict) {
            Some(Fault::Conflict)
        } else if is(self.throttled) {
            Some(Fault::Throttled)
        } else if is(self.dies / 2) {
            Some(Fault::DiesBefore)
        } else if is(self.dies / 2) {
            Some(Fault::DiesAfter)
        } else if is(self.stalls / 2) {
            Some(Fault::StallsBefore(span(seed)))
        } else if is(self.stalls / 2) {
            Some(Fault::StallsAfter(span(seed)))
        } else {
            None
        }
    }
}

/// A moment, longer than a call, longer than a lease.
fn span(seed: &mut Seed) -> Duration {
    let most = [300, 5_000, 40_000, 120_000];
    let most = most[usize::try_from(seed.below(4)).unwrap_or(0)];
    Duration::from_millis(20 + seed.below(most))
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RequestLost => f.write_str("the request is lost"),
            Self::ReplyLost => f.write_str("the reply is lost"),
            Self::SentTwice => f.write_str("it is sent twice"),
            Self::Late(span) => write!(f, "no answer; it arrives {span:?} later"),
            Self::Slow(span) => write!(f, "it takes {span:?}"),
            Self::Conflict => f.write_str("conflict"),
            Self::Throttled => f.write_str("throttled"),
            Self::DiesBefore => f.write_str("the process dies before"),
            Self::DiesAfter => f.write_str("the process dies after"),
            Self::StallsBefore(span) => write!(f, "the process stands still for {span:?} before"),
            Self::StallsAfter(span) => write!(f, "the process stands still for {span:?} after"),
        }
    }
}
