//! Before the commit: a queued operation, the stream that tells of it, and the sweeper that looks at its state.

use super::moves::{Move, Outcome};
use super::world::{Operation, World};
use super::{Config, Mutant};

/// Who evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Stream,
    Sweeper,
}

/// What becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Commits,
    /// It is committed, and the worker dies before it has said so to the stream.
    CommitsAndDies,
    GivesUp,
    Dies,
}

pub(super) fn moves(world: &World, config: &Config, next: &mut Vec<(Move, Outcome)>) {
    let faults = [Verdict::CommitsAndDies, Verdict::GivesUp, Verdict::Dies];
    let verdicts = [Verdict::Commits]
        .into_iter()
        .chain(faults.into_iter().filter(|_| world.faults > 0));
    for verdict in verdicts {
        if world.dispatches > 0 {
            let outcome = from_the_stream(world, verdict, config);
            next.push((Move::Evaluates(By::Stream, verdict), outcome));
        }
        if is_swept(world.operation, config) {
            let outcome = evaluates(world.clone(), verdict);
            next.push((Move::Evaluates(By::Sweeper, verdict), outcome));
        }
    }
    if world.faults > 0 && world.dispatches > 0 {
        let mut after = world.clone();
        after.faults -= 1;
        after.dispatches = 0;
        next.push((Move::OperationStreamForgets, Ok(after)));
    }
}

/// The image is an occasion to read the record; what is decided by then is left.
fn from_the_stream(world: &World, verdict: Verdict, config: &Config) -> Outcome {
    let reads = config.mutant != Mutant::DecideFromTheImage;
    let mut after = if reads && world.operation.is_decided() {
        world.clone()
    } else {
        evaluates(world.clone(), verdict)?
    };
    let is_checkpointed = matches!(verdict, Verdict::Commits | Verdict::GivesUp);
    after.dispatches -= u8::from(is_checkpointed);
    Ok(after)
}

fn evaluates(mut world: World, verdict: Verdict) -> Outcome {
    world.faults -= u8::from(verdict != Verdict::Commits);
    match verdict {
        Verdict::Commits | Verdict::CommitsAndDies => world.commit()?,
        Verdict::GivesUp => world.operation = Operation::Released,
        Verdict::Dies => {}
    }
    Ok(world)
}

fn is_swept(operation: Operation, config: &Config) -> bool {
    match operation {
        Operation::Queued => true,
        Operation::Released => config.mutant != Mutant::SweepOnlyQueued,
        Operation::Decided => false,
    }
}

/// What is not decided has somebody who comes for it.
pub(super) fn is_looked_after(world: &World, config: &Config) -> Result<(), &'static str> {
    if world.dispatches > 0 || is_swept(world.operation, config) {
        Ok(())
    } else {
        Err("a queued operation was lost: it is not decided and nobody looks for it")
    }
}
