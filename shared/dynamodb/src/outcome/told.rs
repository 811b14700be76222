//! What the answers of the ports' writes have in common.

use std::fmt::Debug;

use decide_once_protocol::inbox::{MarkAnswer, Together};
use decide_once_protocol::writes::{Answer, NotApplied};

/// An answer: applied, not applied, unknown, or a fact of its own.
pub(crate) trait Told: Debug {
    /// It is durable.
    fn applied() -> Self;
    /// It had no effect, for certain.
    fn not_applied(why: NotApplied) -> Self;
    /// It may have one.
    fn unknown() -> Self;
    /// Which of the three; `None` is a fact.
    fn kind(&self) -> Option<Kind>;
}

/// Of an answer that is no fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Applied,
    NotApplied(NotApplied),
    Unknown,
}

macro_rules! told {
    ($type:ident: $($fact:pat_param)|+) => {
        impl Told for $type {
            fn applied() -> Self {
                Self::Applied
            }

            fn not_applied(why: NotApplied) -> Self {
                Self::NotApplied(why)
            }

            fn unknown() -> Self {
                Self::Unknown
            }

            fn kind(&self) -> Option<Kind> {
                match self {
                    Self::Applied => Some(Kind::Applied),
                    Self::NotApplied(why) => Some(Kind::NotApplied(*why)),
                    Self::Unknown => Some(Kind::Unknown),
                    $($fact)|+ => None,
                }
            }
        }
    };
}

told!(Answer: Self::Refused(_) | Self::Blocked(_));
told!(MarkAnswer: Self::Refused(_));
told!(Together: Self::MarkRefused(_) | Self::EffectRefused);
