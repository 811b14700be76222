//! Consumers behind a queue that delivers at least once and in any order: one has its effect with its mark, one elsewhere.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use decide_once_protocol::ids::EventId;
use decide_once_protocol::inbox::{CloudEvent, ConsumerName, MarkRetention};
use decide_once_protocol::json::Value;
use decide_once_service::consume::{Consumer as Consuming, EffectError, Handled};
use decide_once_service::memory::Change;
use decide_once_service::ports::{Clock as _, StoreError};
use tokio::time::sleep;

use crate::chance::{Consumer, Place, Who};
use crate::clock::SimulatedClock;
use crate::journal::What;
use crate::line::Line;
use crate::policies::DECIDED;
use crate::world::World;
use decide_once_tests::fixtures::CountingIds;

/// A consumer's invocation has less than the longest.
const TIME: Duration = Duration::from_secs(10);

static NAMES: LazyLock<[Option<ConsumerName>; 2]> =
    LazyLock::new(|| ["balances", "desk"].map(|name| ConsumerName::parse(name).ok()));

/// A message is in a consumer's queue, at times twice.
pub(crate) fn queue(world: &Arc<World>, consumer: Consumer, text: &Arc<str>) {
    let number = world.number();
    let place = Place::invocation(Who::Consume(consumer, number), 0);
    let twice = world.goes_wrong(
        place,
        "the message is there twice",
        world.plan.weather.network,
    );
    for copy in 0..=u32::from(twice) {
        world.messages_change(true);
        let (there, text) = (Arc::clone(world), Arc::clone(text));
        world.spawn(async move { deliver(&there, place.who, consumer, &text, copy * 1_000).await });
    }
}

/// Hands a message in until it is acknowledged.
async fn deliver(world: &Arc<World>, who: Who, consumer: Consumer, text: &str, mut turn: u32) {
    let most = if world.is_calm() { 10 } else { 1_500 };
    let delay = world
        .draw(Place::invocation(who, turn), "delay")
        .below(most);
    sleep(Duration::from_millis(delay)).await;
    let Ok(event) = CloudEvent::parse(text) else {
        return;
    };
    loop {
        turn += 1;
        let place = Place::invocation(who, turn);
        let handled = handle(world, place, consumer, &event).await;
        let told = handled.as_ref().map_or_else(
            || "nothing is heard".to_owned(),
            |handled| format!("{handled:?}"),
        );
        if let Some(id) = EventId::parse(event.name.id()) {
            world.note(who, What::Handles(consumer, id, told));
        }
        let acknowledged = handled.is_some_and(|handled| handled.is_acknowledged());
        let again = world.goes_wrong(
            place,
            "the acknowledgement is lost",
            world.plan.weather.network / 4,
        );
        if acknowledged && !again {
            world.messages_change(false);
            return;
        }
        let pause = 1 + world.draw(place, "visibility").below(30);
        sleep(Duration::from_secs(pause)).await;
    }
}

/// An invocation of a consumer, each in a process of its own.
async fn handle(
    world: &Arc<World>,
    place: Place,
    consumer: Consumer,
    event: &CloudEvent,
) -> Option<Handled> {
    let line = Line::new(world, place.who);
    let clock = world.clock_of(place);
    let index = usize::from(consumer == Consumer::Desk);
    let consuming = Consuming {
        name: NAMES[index].clone()?,
        inbox: line.clone(),
        clock,
        ids: world.ids.clone(),
        retention: MarkRetention::DEFAULT,
    };
    let deadline = clock.now().plus(TIME);
    match consumer {
        Consumer::Balances => {
            let effect = || balance(&line, event);
            line.invoke(place, TIME, consuming.together(event, deadline, effect))
                .await
        }
        Consumer::Desk => {
            line.invoke(place, TIME, at_the_desk(&line, &consuming, event, deadline))
                .await
        }
    }
}

/// What a decision adds to an account, relative; everything else is counted, absolute.
async fn balance(line: &Line, event: &CloudEvent) -> Result<Change, EffectError> {
    let subject = event.subject.clone().unwrap_or_default();
    if event.kind == DECIDED {
        let amount = event.data.pointer("/amount").and_then(Value::as_number);
        let by = amount
            .and_then(|amount| amount.as_i64())
            .unwrap_or_default();
        return Ok(Change::Add {
            name: format!("sum of {subject}"),
            by,
        });
    }
    let name = format!("count of {subject}");
    let wanted = name.clone();
    let read = line.call("read balance", move |world| {
        Ok::<_, StoreError>(world.store().number(&wanted))
    });
    let seen = read
        .await
        .map_err(|_| EffectError::Unavailable("no balance".to_owned()))?;
    Ok(Change::Set {
        name,
        seen,
        to: seen.unwrap_or_default() + 1,
    })
}

async fn at_the_desk(
    line: &Line,
    consuming: &Consuming<Line, SimulatedClock, CountingIds>,
    event: &CloudEvent,
    deadline: decide_once_protocol::time::Timestamp,
) -> Handled {
    let effect = |key: decide_once_protocol::inbox::DownstreamKey| async move {
        let (who, id) = (line.who(), EventId::parse(event.name.id()));
        line.call("effect", move |world| {
            let first = world.desk.has(key.as_str());
            if let Some(id) = id.clone() {
                world.note(who, What::Effect(id, first));
            }
            Ok(())
        })
        .await
    };
    consuming.leased(event, deadline, effect).await
}
