//! Which rows of a batch may be sent now: those of one subject in single file, those of different subjects beside each other.
//!
//! A row is not sent before the earlier row of its lane is done, which is: acknowledged or refused for good by the sink, and
//! marked. One that is not done closes its lane: nothing behind it is sent, so that a subject's events do not overtake each
//! other.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use crate::outbox::Event;

/// The rows of a batch by their index, in a lane for each source (which names the tenant) and subject.
#[derive(Clone, Debug)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
pub struct Lanes {
    /// What is behind the first row of each lane.
    behind: Vec<VecDeque<usize>>,
    /// The lane of each row.
    lane: Vec<usize>,
    /// First rows that may be sent, the one that waits longest first.
    ready: VecDeque<usize>,
}

impl Lanes {
    /// Puts the rows of a batch, in its order, into lanes.
    #[must_use]
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let subjects = events.into_iter();
        Self::by(subjects.map(|event| (event.source.as_str(), event.subject.as_str())))
    }

    /// Puts anything, in its order, into the lanes that these keys name.
    #[must_use]
    pub fn by<K: Hash + Eq>(keys: impl IntoIterator<Item = K>) -> Self {
        let mut lanes = Self {
            behind: Vec::new(),
            lane: Vec::new(),
            ready: VecDeque::new(),
        };
        let mut known = HashMap::new();
        for (row, key) in keys.into_iter().enumerate() {
            let lane = *known.entry(key).or_insert(lanes.behind.len());
            lanes.lane.push(lane);
            match lanes.behind.get_mut(lane) {
                Some(behind) => behind.push_back(row),
                None => {
                    lanes.behind.push(VecDeque::new());
                    lanes.ready.push_back(row);
                }
            }
        }
        lanes
    }

    /// The next rows to send, at most `most`, no two of one lane. Each is the caller's until it is [done](Self::done) or
    /// [to be sent again](Self::again); kept, it closes its lane.
    pub fn take(&mut self, most: usize) -> Vec<usize> {
        let most = most.min(self.ready.len());
        self.ready.drain(..most).collect()
    }

    /// Whether a row may be sent now.
    #[must_use]
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// This row is done: the next of its lane may be sent.
    pub fn done(&mut self, row: usize) {
        let next = self.lane(row).and_then(|lane| self.behind.get_mut(lane));
        self.ready.extend(next.and_then(VecDeque::pop_front));
    }

    /// This row was sent in vain, and may be sent again.
    pub fn again(&mut self, row: usize) {
        self.ready.push_back(row);
    }

    /// The lane of a row, as a number.
    #[must_use]
    pub fn lane(&self, row: usize) -> Option<usize> {
        self.lane.get(row).copied()
    }
}
