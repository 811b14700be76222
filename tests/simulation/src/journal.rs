//! What was observed, in order: the checker's evidence and the timeline for people.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use decide_once_client::NoAnswer;
use decide_once_protocol::ids::EventId;

use crate::chance::{Consumer, Place, Who};
use crate::weather::Fault;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When, in true time since the beginning.
    pub at: Duration,
    /// To whom.
    pub who: Who,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// An act begins.
    Act(usize),
    /// Nothing goes wrong from now on.
    Calm,
    /// A process begins, with its clock off by so many milliseconds.
    Starts(i64, Place),
    /// A client posts.
    Asks(Arc<Posted>),
    /// A worker answers it, whether or not the answer arrives.
    Replies(Arc<Posted>, Arc<Told>),
    /// The client has no answer.
    HearsNothing(NoAnswer),
    /// The client takes this as its last word.
    Settles(String),
    /// A call meets a fault.
    Meets(&'static str, Fault, Place),
    /// Something else goes wrong.
    Mishap(&'static str, Place),
    /// The process has died.
    Dies,
    /// Something has panicked.
    Panics,
    /// The store has applied a write.
    Writes(&'static str, String),
    /// A stream hands in a batch.
    Batch(usize),
    /// A stream has given up so many records.
    GivesUp(usize),
    /// A sink has an event, for the first time or again.
    Arrives(EventId, Arc<str>),
    /// What became of a message.
    Handles(Consumer, EventId, String),
    /// An effect elsewhere was asked for, and was had if it was the first time.
    Effect(EventId, bool),
    /// Anything else worth telling.
    Notes(String),
}

/// A request as it was posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// Whose number.
    pub ask: u16,
    /// Under which key.
    pub key: String,
    /// The amount, which names the request.
    pub amount: u32,
    /// Which of the ask's posts it is.
    pub post: u32,
}

/// What a worker said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The HTTP status.
    pub status: u16,
    /// The problem's code, where it is one.
    pub code: Option<String>,
    /// The member `retry`.
    pub retry: Option<String>,
    /// `Idempotent-Replayed: true`.
    pub replayed: bool,
    /// The body.
    pub body: bytes::Bytes,
}

/// The evidence, as it grows. Clones are of one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Journal(Arc<Mutex<Vec<Entry>>>);

impl Journal {
    pub(crate) fn note(&self, at: Duration, who: Who, what: What) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.push(Entry { at, who, what });
    }

    pub(crate) fn take(&self) -> Vec<Entry> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.at.as_millis();
        let (minutes, seconds, millis) = (millis / 60_000, millis / 1_000 % 60, millis % 1_000);
        let who = self.who.to_string();
        write!(
            f,
            "{minutes:>4}:{seconds:02}.{millis:03}  {who:<14} {}",
            self.what
        )
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Act(number) => write!(f, "──── act {number}"),
            Self::Calm => f.write_str("──── nothing goes wrong any more"),
            Self::Starts(ahead, _) => write!(f, "a process starts, its clock off by {ahead} ms"),
            Self::Asks(posted) => write!(f, "POST {posted}"),
            Self::Replies(posted, told) => write!(f, "{told}   (to POST {posted})"),
            Self::HearsNothing(why) => write!(f, "hears nothing: {why}"),
            Self::Settles(how) => write!(f, "settles: {how}"),
            Self::Meets(call, fault, _) => write!(f, "  ! {call}: {fault}"),
            Self::Mishap(what, _) => write!(f, "  ! {what}"),
            Self::Dies => f.write_str("  ! the process is gone"),
            Self::Panics => f.write_str("  ! a panic"),
            Self::Writes(call, what) => write!(f, "  {call} applied: {what}"),
            Self::Batch(records) => write!(f, "is handed {records} records"),
            Self::GivesUp(records) => write!(f, "  ! the stream gives {records} records up"),
            Self::Arrives(event, _) => write!(f, "  {} arrives", short(event.as_str())),
            Self::Handles(_, event, how) => write!(f, "{}: {how}", short(event.as_str())),
            Self::Effect(event, first) => {
                let how = if *first { "had" } else { "asked for again" };
                write!(f, "  the effect of {}: {how}", short(event.as_str()))
            }
            Self::Notes(text) => f.write_str(text),
        }
    }
}

/// An id of a simulation counts up, so that its end tells it apart.
pub(crate) fn short(id: &str) -> &str {
    id.trim_start_matches('a')
}

impl fmt::Display for Posted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} #{}", self.key, self.amount, self.post)
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        if let Some(code) = &self.code {
            write!(f, " {code}")?;
        }
        if self.replayed {
            write!(f, ", replayed")?;
        }
        if let Some(retry) = &self.retry {
            write!(f, ", retry {retry}")?;
        }
        Ok(())
    }
}
