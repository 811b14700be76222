//! What can happen next to a batch.

use super::Mutant;
use super::world::{Batch, SUBJECTS, World};

/// One thing that happened. Those that need no fault come first: they lead to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    StreamHandsIn,
    Sends(usize),
    Settles(usize, How),
    Answers,
    AnswersEarly,
    Dies,
}

/// How a send comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// Acknowledged or refused for good, and marked.
    Marked,
    /// Not taken, or not known to be; it is given up in this batch.
    Failed,
    /// The same, and it will be sent again.
    FailedForNow,
    /// Marked, but nobody knows.
    MarkUnheard,
}

type Outcome = super::super::explore::Outcome<World>;

/// How many requests are under way at once.
const CONCURRENCY: usize = 2;

pub(crate) fn moves(world: &World, mutant: Mutant) -> Vec<(Move, Outcome)> {
    let mut next = Vec::new();
    let mut add = |step: Move, change: &dyn Fn(&mut World) -> Result<(), &'static str>| {
        let mut after = world.clone();
        let outcome = change(&mut after).map(|()| after);
        next.push((step, outcome));
    };
    let Some(batch) = &world.batch else {
        if world.checkpoint < SUBJECTS.len() {
            add(Move::StreamHandsIn, &|after| after.begin(mutant));
        }
        return next;
    };
    for index in &batch.flying {
        add(Move::Settles(*index, How::Marked), &|after| {
            settles(after, *index, How::Marked, mutant)
        });
    }
    if batch.lanes.has_ready() && batch.flying.len() < CONCURRENCY {
        for most in [1, 2] {
            add(Move::Sends(most), &|after| sends(after, most));
        }
    }
    // With nothing under way a batch ends: nothing is left, or the time is up.
    if batch.flying.is_empty() {
        let step = if batch.lanes.has_ready() {
            Move::AnswersEarly
        } else {
            Move::Answers
        };
        if step == Move::Answers || world.faults > 0 {
            add(step, &|after| {
                after.faults -= u8::from(step == Move::AnswersEarly);
                after.end(batch, mutant)
            });
        }
    }
    if world.faults > 0 {
        for index in &batch.flying {
            for how in [How::Failed, How::FailedForNow, How::MarkUnheard] {
                add(Move::Settles(*index, how), &|after| {
                    after.faults -= 1;
                    settles(after, *index, how, mutant)
                });
            }
        }
        add(Move::Dies, &|after| {
            after.faults -= 1;
            after.batch = None;
            after.known.clear();
            Ok(())
        });
    }
    next
}

fn sends(world: &mut World, most: usize) -> Result<(), &'static str> {
    let marked = world.marked.clone();
    let Some(batch) = &mut world.batch else {
        return Ok(());
    };
    for index in batch.lanes.take(most) {
        let row = batch.rows[index];
        let mut earlier = (0..row).filter(|earlier| SUBJECTS[*earlier] == SUBJECTS[row]);
        if !earlier.all(|earlier| marked.contains(&earlier)) {
            return Err("a row was sent before an earlier one of its subject was done");
        }
        batch.flying.insert(index);
    }
    Ok(())
}

fn settles(world: &mut World, index: usize, how: How, mutant: Mutant) -> Result<(), &'static str> {
    let Some(batch) = &mut world.batch else {
        return Ok(());
    };
    batch.flying.remove(&index);
    let row = batch.rows[index];
    if matches!(how, How::Marked | How::MarkUnheard) {
        world.marked.insert(row);
    }
    match how {
        How::Marked => done(batch, index),
        How::FailedForNow => batch.lanes.again(index),
        How::Failed | How::MarkUnheard if mutant == Mutant::GoOnBehindAFailure => {
            batch.lanes.done(index);
        }
        How::Failed if mutant == Mutant::RememberWhatIsSent => {
            world.known.insert(row);
        }
        How::Failed | How::MarkUnheard => {}
    }
    Ok(())
}

fn done(batch: &mut Batch, index: usize) {
    batch.done.insert(index);
    batch.lanes.done(index);
}
