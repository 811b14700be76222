//! Nothing lost, one id: thousands of decisions while publisher, sweeper, sink and store fail as a number says. The same number makes the
//! same history: `SEED=7 cargo test --workspace nothing_lost_one_id`.

mod unruly;

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    env,
    hash::{DefaultHasher, Hash, Hasher},
    pin::pin,
    time::Duration,
};

use decide_once_protocol::{
    ids::EventId,
    outbox::{Delivery, Marker},
    record::State,
};
use decide_once_service::{
    Answers, Budget, Decider,
    limits::Limits,
    memory::MemoryStore,
    ports::{Clock as _, Outbox as _, Read},
    publish::{Change, Image, Publisher},
    reply::Reply,
    settings::Settings,
    sweep::{MARGIN, Sweeper},
};
use decide_once_tests::{
    fixtures::{self, CountingIds, ManualClock},
    seed::Seed,
    world::{B0, shipped},
};
use futures_util::future::poll_immediate;

use crate::support::{INVOCATION, PACE};
use unruly::{Unruly, UnrulySink, Whims};

/// One history.
struct History {
    seed: Seed,
    whims: Whims,
    store: MemoryStore,
    sink: UnrulySink,
    time: ManualClock,
    ids: CountingIds,
    decider: Decider<MemoryStore, ManualClock, CountingIds>,
    publisher: Publisher<Unruly, UnrulySink, ManualClock>,
    sweeper: Sweeper<Unruly, UnrulySink, ManualClock, CountingIds>,
    /// The outbox's stream: what its publisher has not checkpointed.
    stream: VecDeque<Change>,
    /// Every event as it was committed.
    committed: BTreeMap<EventId, String>,
    decisions: u32,
    changes: u64,
    /// What happened, to be told apart from another history.
    told: DefaultHasher,
    kills: u32,
    forgotten: usize,
    redriven: u32,
}

impl History {
    fn of(number: u64) -> Self {
        let (store, time, ids) = (
            MemoryStore::new(),
            ManualClock::default(),
            CountingIds::default(),
        );
        let whims = Whims::of(number);
        let sink = UnrulySink::new(whims.clone());
        let unruly = Unruly::new(store.clone(), whims.clone());
        Self {
            seed: Seed::new(number),
            decider: decider(store.clone(), &time, &ids),
            publisher: Publisher::new(unruly.clone(), sink.clone(), time.clone(), PACE),
            sweeper: sweeper(&unruly, &sink, &time, &ids),
            whims,
            store,
            sink,
            time,
            ids,
            stream: VecDeque::new(),
            committed: BTreeMap::new(),
            decisions: 0,
            changes: 0,
            told: DefaultHasher::new(),
            kills: 0,
            forgotten: 0,
            redriven: 0,
        }
    }

    /// The next thing that happens.
    async fn step(&mut self, decisions: u32) {
        let choice = self.seed.below(100);
        choice.hash(&mut self.told);
        match choice {
            0..40 if self.decisions < decisions => self.decide().await,
            0..75 => self.publish().await,
            75..80 => self.sweep().await,
            80..82 => {
                self.forgotten += self.stream.len();
                self.stream.clear();
            }
            82..86 => self.redeliver().await,
            86..90 => self.whims.late_marks_arrive(&self.store).await,
            90..94 => self.redrive().await,
            94..96 => self.whims.toggle_outage(),
            _ => {
                let seconds = self.seed.below(200);
                self.time.advance(Duration::from_secs(seconds));
            }
        }
    }

    async fn decide(&mut self) {
        self.decisions += 1;
        let call = fixtures::call("t-alpha", &format!("key-{}", self.decisions), B0);
        let budget = Budget {
            deadline: self.time.now().plus(INVOCATION),
            wait: Duration::ZERO,
        };
        let told = self.decider.decide(&call, budget).await;
        let Reply::Decided { decision, .. } = told.reply else {
            panic!("{told:?}");
        };
        self.show(decision.event(0), true).await;
    }

    /// The stream shows the row as it stands now.
    async fn show(&mut self, event: EventId, commits: bool) {
        let Ok(Read::Found(row)) = self.store.read_row(&event).await else {
            panic!("{event} is not there");
        };
        if commits {
            self.committed.insert(event, row.event.to_cloud_event());
        }
        self.changes += 1;
        self.stream.push_back(Change {
            sequence: self.changes.to_string(),
            before: None,
            after: Image::Row(row),
        });
    }

    /// An invocation of the publisher, which may die in it; a new process follows.
    async fn publish(&mut self) {
        let batch: Vec<_> = self.stream.iter().take(10).cloned().collect();
        let deadline = self.time.now().plus(INVOCATION);
        let polls = self.polls();
        let report = cut(self.publisher.publish(&batch, deadline), polls).await;
        let done = match report {
            None => {
                self.kills += 1;
                let unruly = Unruly::new(self.store.clone(), self.whims.clone());
                self.publisher = Publisher::new(unruly, self.sink.clone(), self.time.clone(), PACE);
                0
            }
            Some(report) => match report.stopped {
                None => batch.len(),
                Some((at, _)) => {
                    let stopped = batch.iter().position(|change| change.sequence == at);
                    stopped.unwrap()
                }
            },
        };
        done.hash(&mut self.told);
        self.stream.drain(..done);
    }

    /// An invocation of the sweeper, likewise.
    async fn sweep(&mut self) {
        let deadline = self.time.now().plus(INVOCATION);
        let polls = self.polls();
        let Some(swept) = cut(self.sweeper.sweep(deadline), polls).await else {
            self.kills += 1;
            let unruly = Unruly::new(self.store.clone(), self.whims.clone());
            self.sweeper = sweeper(&unruly, &self.sink, &self.time, &self.ids);
            return;
        };
        if let Ok(swept) = swept {
            (swept.rows.delivered, swept.rows.left).hash(&mut self.told);
        }
    }

    /// How long an invocation lives: mostly to its end.
    fn polls(&mut self) -> u64 {
        if self.seed.percent(15) {
            self.seed.below(30)
        } else {
            u64::MAX
        }
    }

    /// The stream hands in again what it has shown before.
    async fn redeliver(&mut self) {
        let known = u64::try_from(self.committed.len()).unwrap();
        if known > 0 {
            let nth = usize::try_from(self.seed.below(known)).unwrap();
            let event = self.committed.keys().nth(nth).unwrap().clone();
            self.show(event, false).await;
        }
    }

    /// An operator has a row sent again that was set aside.
    async fn redrive(&mut self) {
        let rows = self.store.rows();
        let aside = rows
            .iter()
            .find(|row| matches!(row.delivery, Delivery::Quarantined { .. }));
        if let Some(row) = aside {
            self.redriven += 1;
            let fresh = Marker {
                since: self.time.now(),
                number: 100 + self.redriven % 800,
            };
            self.store.redrive(&row.event.id, fresh).await.unwrap();
            self.show(row.event.id.clone(), false).await;
        }
    }

    /// Nothing fails any more; the stream is not needed.
    async fn ends(&mut self) {
        self.whims.calm();
        self.whims.late_marks_arrive(&self.store).await;
        self.stream.clear();
        for _ in 0..1_000 {
            self.redrive().await;
            self.time.advance(2 * MARGIN);
            let deadline = self.time.now().plus(INVOCATION);
            let swept = self.sweeper.sweep(deadline).await.unwrap();
            if swept.complete && swept.oldest_undelivered.is_none() {
                let rows = self.store.rows();
                if rows
                    .iter()
                    .all(|row| matches!(row.delivery, Delivery::Delivered { .. }))
                {
                    return;
                }
            }
        }
        panic!("it does not come to an end");
    }

    /// Every event arrived, with one id and one content; every decision was made once.
    fn check(&self) {
        let mut arrived = BTreeMap::new();
        for (id, content) in self.sink.taken() {
            let first = arrived.entry(id).or_insert_with(|| content.clone());
            assert_eq!(*first, content, "one content");
        }
        assert_eq!(arrived, self.committed);
        let records = self.store.operations();
        assert_eq!(records.len(), usize::try_from(self.decisions).unwrap());
        assert!(
            records
                .iter()
                .all(|record| matches!(record.state, State::Succeeded { .. }))
        );
        let ids: HashSet<_> = self.committed.keys().map(EventId::decision).collect();
        assert_eq!(ids.len(), records.len());
    }
}

fn decider<S>(
    store: S,
    time: &ManualClock,
    ids: &CountingIds,
) -> Decider<S, ManualClock, CountingIds> {
    Decider {
        store,
        clock: time.clone(),
        ids: ids.clone(),
        policies: shipped(),
        settings: Settings::default(),
        limits: Limits::default(),
        answers: Answers::default(),
    }
}

fn sweeper(
    unruly: &Unruly,
    sink: &UnrulySink,
    time: &ManualClock,
    ids: &CountingIds,
) -> Sweeper<Unruly, UnrulySink, ManualClock, CountingIds> {
    let publisher = Publisher::new(unruly.clone(), sink.clone(), time.clone(), PACE);
    Sweeper::new(decider(unruly.clone(), time, ids), publisher, MARGIN)
}

/// What comes of `future`, unless its process dies after so many polls.
async fn cut<T>(future: impl Future<Output = T>, polls: u64) -> Option<T> {
    let mut future = pin!(future);
    for _ in 0..polls {
        if let Some(done) = poll_immediate(future.as_mut()).await {
            return Some(done);
        }
        tokio::task::yield_now().await;
    }
    None
}

async fn history(number: u64, decisions: u32) -> History {
    let mut history = History::of(number);
    while history.decisions < decisions {
        history.step(decisions).await;
    }
    history.ends().await;
    history.check();
    history
}

#[tokio::test]
async fn nothing_lost_one_id() {
    let number = env::var("SEED").map_or(1, |seed| seed.parse().unwrap());
    println!("SEED={number}");
    let history = history(number, 5_000).await;
    let duplicates = history.sink.taken().len() - history.committed.len();
    println!(
        "{} decisions, {} events arrived, {duplicates} of them again; {} kills, {} changes forgotten, {} redriven",
        history.decisions,
        history.sink.taken().len(),
        history.kills,
        history.forgotten,
        history.redriven,
    );
    assert!(
        history.kills > 20 && duplicates > 100 && history.forgotten > 100 && history.redriven > 5
    );
}

#[tokio::test]
async fn the_same_number_makes_the_same_history() {
    let mut told = Vec::new();
    for number in [7, 7, 8] {
        let mut history = history(number, 150).await;
        history.sink.taken().hash(&mut history.told);
        told.push(history.told.finish());
    }
    assert_eq!(told[0], told[1]);
    assert_ne!(told[0], told[2]);
}
