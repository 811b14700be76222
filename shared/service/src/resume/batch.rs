//! Going on with several operations at once.

use decide_once_protocol::record::StateName;
use decide_once_protocol::scope::OperationId;
use decide_once_protocol::time::Timestamp;
use futures_util::StreamExt as _;
use futures_util::stream;

use super::{NotYet, Resumed};
use crate::decide::Decider;
use crate::ports::{Clock, Ids, Mismatches, Store};

/// How many operations are gone on with at once: each waits for the store most of its time.
const AT_ONCE: usize = 8;

/// An operation that somebody has to go on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// What the source calls it: a stream's sequence number; an index calls it nothing.
    pub name: Option<String>,
    /// The operation.
    pub operation: OperationId,
}

/// What became of the tasks. Every one is in one of the counts, or in `not_yet`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Fates {
    /// Decided now.
    pub succeeded: u32,
    /// Failed for good now.
    pub failed: u32,
    /// [`Resumed::NothingToDo`].
    pub nothing_to_do: u32,
    /// [`Resumed::Unreadable`].
    pub unreadable: u32,
    /// What is not final, in the order of the tasks.
    pub not_yet: Vec<(Task, NotYet)>,
}

impl Task {
    pub(crate) const fn swept(operation: OperationId) -> Self {
        Self {
            name: None,
            operation,
        }
    }
}

impl Fates {
    /// The names of what a stream should hand in again: what was not begun, or whose store did not answer. The rest is in the queue's
    /// index, under the time at which it makes sense to go on with it (the end of a lease, a pause that doubles), and is the sweeper's:
    /// to hand it in again and again until then would hold up everybody behind it, and use up its attempts.
    pub fn unfinished(&self) -> impl Iterator<Item = &str> {
        self.not_yet
            .iter()
            .filter(|(_, why)| matches!(why, NotYet::Store | NotYet::OutOfTime))
            .filter_map(|(task, _)| task.name.as_deref())
    }

    /// Counts those of another batch as well.
    pub(crate) fn add(&mut self, other: Self) {
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.nothing_to_do += other.nothing_to_do;
        self.unreadable += other.unreadable;
        self.not_yet.extend(other.not_yet);
    }

    fn count(&mut self, task: &Task, resumed: Resumed) {
        match resumed {
            Resumed::Finished(StateName::Succeeded) => self.succeeded += 1,
            Resumed::Finished(_) => self.failed += 1,
            Resumed::NothingToDo => self.nothing_to_do += 1,
            Resumed::Unreadable => self.unreadable += 1,
            Resumed::NotYet(why) => self.not_yet.push((task.clone(), why)),
        }
    }
}

impl<S: Store + Mismatches, C: Clock, I: Ids> Decider<S, C, I> {
    /// Goes on with each of `tasks`, several at once, until `deadline` at the latest.
    pub async fn resume_all(&self, tasks: &[Task], deadline: Timestamp) -> Fates {
        let each: Vec<_> = tasks
            .iter()
            .map(|task| self.resume(&task.operation, deadline))
            .collect();
        let resumed: Vec<_> = stream::iter(each).buffered(AT_ONCE).collect().await;
        let mut fates = Fates::default();
        for (task, resumed) in tasks.iter().zip(resumed) {
            fates.count(task, resumed);
        }
        fates
    }
}
