//! What can happen next to an event.

use super::world::{Sender, Why, World, marker};
use super::{Config, Mutant};
use crate::outbox::{DELIVERED_RETENTION, Delivery, Mark, Marker, OutboxRow, is_newly_undelivered};

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    PublisherTakesTheNextImage,
    SweeperFindsTheRow,
    Evaluates(super::queue::By, super::queue::Verdict),
    OperationStreamForgets,
    Sends(Who, Sent),
    Marks(Who, Marked),
    AnotherRowFails,
    Crashes(Who),
    LateMarkArrives(usize),
    OperatorRedrives,
    SomebodyWritesTheSameAgain,
    StreamForgets,
    TimePasses,
    TtlDeletes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Publisher,
    Sweeper,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    Acknowledged,
    /// The sink has it, but the acknowledgement was lost.
    Unheard,
    Unavailable,
    Refused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marked {
    Answered,
    ReplyLost,
    Delayed,
    RequestLost,
}

pub(super) type Outcome = super::super::explore::Outcome<World>;

pub(crate) fn moves(world: &World, config: &Config) -> Vec<(Move, Outcome)> {
    let mut next = Vec::new();
    for who in [Who::Publisher, Who::Sweeper] {
        works(world, who, config, &mut next);
    }
    super::queue::moves(world, config, &mut next);
    let mut add = |step: Move, change: &dyn Fn(&mut World) -> Result<(), &'static str>| {
        let mut after = world.clone();
        let outcome = change(&mut after).map(|()| after);
        next.push((step, outcome));
    };
    for (index, mark) in world.late.iter().enumerate() {
        add(Move::LateMarkArrives(index), &|after| {
            after.late.remove(index);
            after.mark(mark, config.mutant)
        });
    }
    if world.redrives > 0 {
        add(Move::OperatorRedrives, &|after| {
            after.redrives -= 1;
            let fresh = Marker {
                since: after.now,
                number: 100 + u32::from(after.redrives),
            };
            after.mark(&Mark::Redriven { fresh }, config.mutant)
        });
    }
    if world.no_ops > 0 && world.row.is_some() {
        add(Move::SomebodyWritesTheSameAgain, &|after| {
            after.no_ops -= 1;
            after.write(after.row.clone(), Why::NoOp);
            Ok(())
        });
    }
    if world.faults > 0 && !world.images.is_empty() {
        add(Move::StreamForgets, &|after| {
            after.faults -= 1;
            after.images.clear();
            after.publisher = Sender::Idle;
            after.known = None;
            Ok(())
        });
    }
    if world.ticks > 0 {
        add(Move::TimePasses, &|after| {
            after.ticks -= 1;
            after.now = after.now.plus(DELIVERED_RETENTION);
            Ok(())
        });
    }
    match world.expires(config.mutant) {
        Err(rule) => next.push((Move::TtlDeletes, Err(rule))),
        Ok(true) => {
            let mut after = world.clone();
            after.write(None, Why::Removed);
            next.push((Move::TtlDeletes, Ok(after)));
        }
        Ok(false) => {}
    }
    next
}

fn works(world: &World, who: Who, config: &Config, next: &mut Vec<(Move, Outcome)>) {
    match sender(world, who) {
        Sender::Idle => starts(world, who, config, next),
        Sender::Sending(row) => {
            let faults = [Sent::Unheard, Sent::Unavailable, Sent::Refused];
            for sent in [Sent::Acknowledged]
                .into_iter()
                .chain(faults.into_iter().filter(|_| world.faults > 0))
            {
                next.push((Move::Sends(who, sent), sends(world, who, row, sent, config)));
            }
        }
        Sender::Marking(mark, row) => {
            let faults = [Marked::ReplyLost, Marked::Delayed, Marked::RequestLost];
            for marked in [Marked::Answered]
                .into_iter()
                .chain(faults.into_iter().filter(|_| world.faults > 0))
            {
                next.push((
                    Move::Marks(who, marked),
                    marks(world, who, mark, row, marked, config),
                ));
            }
            if who == Who::Publisher && world.faults > 0 {
                next.push((Move::AnotherRowFails, repeats(world, mark, row, config)));
            }
        }
    }
    if world.faults > 0 && *sender(world, who) != Sender::Idle {
        let mut after = world.clone();
        after.faults -= 1;
        // The stream hands the image out again; the sweeper finds the row again.
        *sender_mut(&mut after, who) = Sender::Idle;
        if who == Who::Publisher {
            after.known = None;
        }
        next.push((Move::Crashes(who), Ok(after)));
    }
}

fn starts(world: &World, who: Who, config: &Config, next: &mut Vec<(Move, Outcome)>) {
    let mut after = world.clone();
    let step = match who {
        Who::Publisher => {
            let Some(image) = world.images.first() else {
                return;
            };
            let act = match config.mutant {
                Mutant::ActOnAnyImage => image.new.is_some(),
                _ => is_newly_undelivered(image.old, image.new),
            };
            if act && matches!(image.why, Why::Marked | Why::Removed | Why::NoOp) {
                next.push((
                    Move::PublisherTakesTheNextImage,
                    Err("something was published for a mark, a removal or a write that changes nothing"),
                ));
                return;
            }
            let known = match config.mutant {
                Mutant::RememberWithoutMarker => world.known.is_some(),
                _ => world.known.is_some() && world.known == image.new,
            };
            if act && known {
                if marker(world.row.as_ref()) == image.new {
                    let rule = "an event that is still to be sent was passed over";
                    next.push((Move::PublisherTakesTheNextImage, Err(rule)));
                    return;
                }
                after.images.remove(0);
            } else if let (true, Some(seen)) = (act, image.new) {
                begin(&mut after, who, as_committed(world, seen), seen, config);
            } else {
                after.images.remove(0);
            }
            Move::PublisherTakesTheNextImage
        }
        Who::Sweeper => {
            let Some((row, seen)) = world.row.as_ref().zip(marker(world.row.as_ref())) else {
                return;
            };
            begin(&mut after, who, row.clone(), seen, config);
            Move::SweeperFindsTheRow
        }
    };
    next.push((step, Ok(after)));
}

/// The image's row: the event never changes, the marker is the image's.
fn as_committed(world: &World, seen: Marker) -> OutboxRow {
    let row = World::committed(&Config {
        faults: 0,
        redrives: 0,
        ticks: 0,
        queued: false,
        mutant: Mutant::None,
    })
    .row;
    let event = world.row.clone().or(row).map(|row| row.event);
    match event {
        Some(event) => OutboxRow {
            event,
            delivery: Delivery::Undelivered(seen),
        },
        None => unreachable!("the model's first world has a row"),
    }
}

fn begin(world: &mut World, who: Who, row: OutboxRow, seen: Marker, config: &Config) {
    let mark = Mark::Delivered {
        seen,
        at: world.now,
    };
    *sender_mut(world, who) = match config.mutant {
        Mutant::MarkBeforeSend => Sender::Marking(mark, row),
        _ => Sender::Sending(row),
    };
}

fn sends(world: &World, who: Who, row: &OutboxRow, sent: Sent, config: &Config) -> Outcome {
    let mut after = world.clone();
    after.faults -= u8::from(sent != Sent::Acknowledged);
    if matches!(sent, Sent::Acknowledged | Sent::Unheard) {
        after.receive(row, config.mutant)?;
    }
    let Some(seen) = marker(Some(row)) else {
        return Ok(after);
    };
    let mark = match sent {
        Sent::Acknowledged => Some(Mark::Delivered {
            seen,
            at: after.now,
        }),
        Sent::Refused => Some(Mark::Quarantined {
            seen,
            since: after.now,
            reason: String::new(),
        }),
        Sent::Unheard | Sent::Unavailable => None,
    };
    match mark {
        Some(_) if config.mutant == Mutant::MarkBeforeSend => finished(&mut after, who),
        Some(mark) => *sender_mut(&mut after, who) = Sender::Marking(mark, row.clone()),
        None => *sender_mut(&mut after, who) = Sender::Idle,
    }
    Ok(after)
}

fn marks(
    world: &World,
    who: Who,
    mark: &Mark,
    row: &OutboxRow,
    marked: Marked,
    config: &Config,
) -> Outcome {
    let mut after = world.clone();
    after.faults -= u8::from(marked != Marked::Answered);
    match marked {
        Marked::Answered | Marked::ReplyLost => after.mark(mark, config.mutant)?,
        Marked::Delayed => after.late.push(mark.clone()),
        Marked::RequestLost => {}
    }
    match marked {
        Marked::Answered if config.mutant == Mutant::MarkBeforeSend => {
            *sender_mut(&mut after, who) = Sender::Sending(row.clone());
        }
        Marked::Answered => finished(&mut after, who),
        Marked::ReplyLost | Marked::Delayed | Marked::RequestLost => {
            *sender_mut(&mut after, who) = Sender::Idle;
        }
    }
    Ok(after)
}

/// The row is marked, but another one in front of it failed: its image is handed in again, to a process that remembers it.
fn repeats(world: &World, mark: &Mark, row: &OutboxRow, config: &Config) -> Outcome {
    let mut after = world.clone();
    after.faults -= 1;
    let unmarked = config.mutant == Mutant::RememberUnmarked;
    if !unmarked {
        after.mark(mark, config.mutant)?;
    }
    after.publisher = Sender::Idle;
    after.known = marker(Some(row));
    Ok(after)
}

/// The publisher checkpoints its image; the sweeper has nothing to remember.
fn finished(world: &mut World, who: Who) {
    *sender_mut(world, who) = Sender::Idle;
    if who == Who::Publisher && !world.images.is_empty() {
        world.images.remove(0);
    }
}

const fn sender(world: &World, who: Who) -> &Sender {
    match who {
        Who::Publisher => &world.publisher,
        Who::Sweeper => &world.sweeper,
    }
}

const fn sender_mut(world: &mut World, who: Who) -> &mut Sender {
    match who {
        Who::Publisher => &mut world.publisher,
        Who::Sweeper => &mut world.sweeper,
    }
}
