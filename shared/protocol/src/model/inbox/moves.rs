//! What can happen next to an event and its copies.

use super::world::{Copy, World, Write, retention};
use super::{Mutant, TICK};
use crate::inbox::{Begun, Ended, Finish, MarkAnswer, NotYet};

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    Received(usize),
    Wrote(usize, Heard),
    Looked(usize),
    AskedForTheEffect(usize, Effect),
    Died(usize),
    LateWriteArrived(usize),
    TimePassed,
    TtlDeleted,
}

/// What a worker hears of its write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Answer,
    NothingReplyLost,
    NothingRequestLost,
    NothingItIsLate,
}

/// What the other side does, and what a worker hears of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Had,
    Unheard,
    Refused,
}

type Outcome = super::super::explore::Outcome<World>;

pub(crate) fn moves(world: &World, mutant: Mutant) -> Vec<(Move, Outcome)> {
    let mut next = Vec::new();
    for index in 0..world.copies.len() {
        works(world, index, mutant, &mut next);
    }
    let mut add = |step: Move, change: &dyn Fn(&mut World) -> Result<(), &'static str>| {
        let mut after = world.clone();
        let outcome = change(&mut after).map(|()| after);
        next.push((step, outcome));
    };
    for index in 0..world.late.len() {
        add(Move::LateWriteArrived(index), &|after| {
            let write = after.late.remove(index);
            after.apply(&write, mutant).map(drop)
        });
    }
    if world.ticks > 0 {
        add(Move::TimePassed, &|after| {
            after.ticks -= 1;
            after.now = after.now.plus(TICK);
            Ok(())
        });
    }
    if world.expires() {
        add(Move::TtlDeleted, &|after| {
            after.mark = None;
            Ok(())
        });
    }
    next
}

/// The copy's next step, if nothing fails.
pub(crate) fn without_fault(world: &World, index: usize, mutant: Mutant) -> Option<Outcome> {
    let mut next = Vec::new();
    works(world, index, mutant, &mut next);
    next.into_iter().next().map(|(_, outcome)| outcome)
}

/// Those that need no fault come first.
fn works(world: &World, index: usize, mutant: Mutant, next: &mut Vec<(Move, Outcome)>) {
    let mut add = |step: Move, change: &dyn Fn(&mut World) -> Result<Copy, &'static str>| {
        let mut after = world.clone();
        let outcome = change(&mut after).map(|copy| {
            after.copies[index] = copy;
            after
        });
        next.push((step, outcome));
    };
    let faulty = world.faults > 0;
    match &world.copies[index] {
        Copy::Acknowledged => return,
        Copy::Waiting => {
            add(Move::Received(index), &|after| {
                Ok(Copy::Claiming(after.claim(mutant)))
            });
            return;
        }
        Copy::Claiming(_) | Copy::Finishing(_) | Copy::Releasing(_) => {
            let lost = [
                Heard::NothingReplyLost,
                Heard::NothingRequestLost,
                Heard::NothingItIsLate,
            ];
            for heard in [Heard::Answer]
                .into_iter()
                .chain(lost.into_iter().filter(|_| faulty))
            {
                add(Move::Wrote(index, heard), &|after| {
                    writes(after, index, heard, mutant)
                });
            }
        }
        Copy::LookingForTheClaim(claim) => add(Move::Looked(index), &|after| {
            let found = after.found();
            begun(after, claim.clone().settle_read(found), mutant)
        }),
        Copy::LookingForTheFinish(finish) => add(Move::Looked(index), &|after| {
            let found = after.found();
            ended(after, finish.clone().settle_read(found))
        }),
        Copy::Working(granted) => {
            let finish = granted.clone().finish(world.now, retention());
            for had in [Effect::Had, Effect::Unheard, Effect::Refused] {
                if had != Effect::Had && !faulty {
                    continue;
                }
                add(Move::AskedForTheEffect(index, had), &|after| {
                    after.faults -= u8::from(had != Effect::Had);
                    if had != Effect::Refused {
                        after.have_effect(mutant)?;
                    }
                    match had {
                        Effect::Had if mutant == Mutant::MarkBeforeWorked => after.acknowledge(),
                        Effect::Had => Ok(Copy::Finishing(finish.clone())),
                        Effect::Unheard | Effect::Refused => {
                            Ok(Copy::Releasing(granted.clone().release()))
                        }
                    }
                });
            }
        }
    }
    if faulty {
        add(Move::Died(index), &|after| {
            after.faults -= 1;
            Ok(Copy::Waiting)
        });
    }
}

fn writes(
    world: &mut World,
    index: usize,
    heard: Heard,
    mutant: Mutant,
) -> Result<Copy, &'static str> {
    let copy = world.copies[index].clone();
    let write = match &copy {
        Copy::Claiming(claim) => Write::Claim(claim.clone()),
        Copy::Finishing(finish) => Write::Finish(finish.clone()),
        Copy::Releasing(release) => Write::Release(release.clone()),
        other => return Ok(other.clone()),
    };
    world.faults -= u8::from(heard != Heard::Answer);
    let answer = match heard {
        Heard::Answer => world.apply(&write, mutant)?,
        Heard::NothingReplyLost => {
            let _ = world.apply(&write, mutant)?;
            MarkAnswer::Unknown
        }
        Heard::NothingRequestLost => MarkAnswer::Unknown,
        Heard::NothingItIsLate => {
            world.late.push(write);
            MarkAnswer::Unknown
        }
    };
    match copy {
        Copy::Claiming(claim) => begun(world, claim.settle(answer), mutant),
        Copy::Finishing(finish) => ended(world, finish.settle(answer)),
        // Whatever became of it: the claim lapses.
        other => Ok(match other {
            Copy::Releasing(_) => Copy::Waiting,
            other => other,
        }),
    }
}

fn begun(world: &World, begun: Begun, mutant: Mutant) -> Result<Copy, &'static str> {
    match begun {
        Begun::Granted(granted) if mutant == Mutant::MarkBeforeWorked => {
            let finish: Finish = granted.finish(world.now, retention());
            Ok(Copy::Finishing(finish))
        }
        Begun::Granted(granted) => world.grant(granted),
        Begun::Duplicate => world.acknowledge(),
        Begun::Look(claim) => Ok(Copy::LookingForTheClaim(claim)),
        Begun::NotYet(NotYet::Busy) if mutant == Mutant::AcknowledgeALiveClaim => {
            world.acknowledge()
        }
        Begun::NotYet(_) => Ok(Copy::Waiting),
    }
}

fn ended(world: &World, ended: Ended) -> Result<Copy, &'static str> {
    match ended {
        Ended::Done => world.acknowledge(),
        Ended::Look(finish) => Ok(Copy::LookingForTheFinish(finish)),
        Ended::Again(finish) => Ok(Copy::Finishing(finish)),
        Ended::NotYet(_) => Ok(Copy::Waiting),
    }
}
