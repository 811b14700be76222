//! A consumer that was away for longer than the stream's retention, and iterators that expire.

use std::time::Duration;

use decide_once::engine::Engine;
use decide_once::proxy::{ApiCall, Fault, Proxy, StoreFault};
use decide_once::pump::PumpConfig;

use super::script::{Does, config, spawn, until};
use crate::support::{client, engine, put_row};

/// One row delivered, one written while nobody reads, and one after 25 hours.
async fn away_for_25_hours(engine: &Engine) -> PumpConfig {
    let client = client(&engine.endpoint());
    let config = config(engine);
    put_row(&client, "before").await;
    let (pump, _) = spawn(config.clone(), &engine.endpoint(), |_, _| Does::Succeeds);
    until(&pump, |state| state.delivered == 1).await;
    pump.stop().await;
    put_row(&client, "missed").await;
    engine.advance(Duration::from_hours(25)).unwrap();
    put_row(&client, "after").await;
    config
}

/// The hour between the checkpoint and the oldest record that the stream still has.
fn assert_an_hour(lost_seconds: u64) {
    assert!((3_599..3_700).contains(&lost_seconds), "{lost_seconds}");
}

#[tokio::test]
async fn o08_a_consumer_away_for_longer_than_retention_goes_on_and_says_how_much_is_lost() {
    let engine = engine();
    let config = away_for_25_hours(&engine).await;
    let (pump, seen) = spawn(config, &engine.endpoint(), |_, _| Does::Succeeds);
    let state = until(&pump, |state| state.delivered == 1).await;
    assert_eq!(seen.invocations(), [["after"]]);
    assert_an_hour(state.lost_seconds);
    assert!(seen.discarded().is_empty(), "the function never had them");
}

#[tokio::test]
async fn a_checkpoint_that_the_stream_refuses_as_trimmed_goes_on_at_the_oldest_record() {
    let engine = engine();
    let proxy = Proxy::start(&engine.endpoint()).await.unwrap();
    let config = away_for_25_hours(&engine).await;
    let trimmed = StoreFault::next(ApiCall::GetShardIterator, Fault::Trimmed);
    proxy.arm(trimmed).unwrap();
    let (pump, seen) = spawn(config, &proxy.endpoint(), |_, _| Does::Succeeds);
    let state = until(&pump, |state| state.delivered == 1).await;
    assert_eq!(seen.invocations(), [["after"]]);
    assert_an_hour(state.lost_seconds);
    assert_eq!(proxy.pending_faults(), 0);
    assert_eq!(state.trouble, None);
}

#[tokio::test]
async fn an_expired_iterator_is_opened_anew_where_it_was() {
    let engine = engine();
    let client = client(&engine.endpoint());
    let proxy = Proxy::start(&engine.endpoint()).await.unwrap();
    put_row(&client, "a").await;
    let (pump, seen) = spawn(config(&engine), &proxy.endpoint(), |_, _| Does::Succeeds);
    until(&pump, |state| state.delivered == 1).await;
    let expired = StoreFault::next(ApiCall::GetRecords, Fault::IteratorExpired);
    proxy.arm(expired).unwrap();
    while proxy.pending_faults() > 0 {
        tokio::task::yield_now().await;
    }
    put_row(&client, "b").await;
    let state = until(&pump, |state| state.delivered == 2).await;
    assert_eq!(seen.invocations(), [["a"], ["b"]]);
    assert_eq!((state.lost_seconds, state.trouble), (0, None));
    assert_eq!(proxy.since_start().of("GetShardIterator"), 2);
}
