//! Arrivals at a rate, while processes die.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use decide_once_tests::{
    Answer, Stack, eventually,
    history::{Deaths, History, Told},
    killer::{SOON_AGAIN, kill_for_ever},
    orders::Order,
    seed::Seed,
};
use tokio::{
    task::JoinSet,
    time::{Instant, interval, sleep, sleep_until},
};

use crate::{
    arguments::{Soak, StackArguments},
    arrivals::{Arrivals, Asks},
    quantiles::Quantiles,
};

/// How long a client waits that was told to come again, at first and at most. Without a back-off the callers of an overload keep it going.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How long everything may take to come to rest.
const REST: Duration = Duration::from_secs(600);

/// How often a run tells how far it is.
const PROGRESS: Duration = Duration::from_secs(10);

/// Functions with one process each.
const OTHERS: usize = 5;

#[derive(Debug, Default)]
struct Measured {
    /// From the intended arrival to the first answer of whatever kind.
    answered: Vec<Duration>,
    /// From the intended arrival to the final answer: the decision, or the refusal.
    settled: Vec<Duration>,
    asks: BTreeMap<Asks, u32>,
    answers: BTreeMap<String, u32>,
}

/// What every arrival shares.
struct Clients {
    stack: Stack,
    history: History,
    measured: Mutex<Measured>,
}

pub(crate) async fn start(concurrency: u16, further: &[&str]) -> Stack {
    let processes = concurrency.to_string();
    let own = ["--concurrency", &processes, "--env", "MISMATCH_BUDGET=0"];
    let stack = Stack::start(&[&own, &SOON_AGAIN[..], further].concat()).await;
    eventually("all processes", async || {
        let ready = stack.processes().await.len() == usize::from(concurrency) + OTHERS;
        ready.then_some(())
    })
    .await;
    stack
}

pub(crate) async fn run(stack: &StackArguments, soak: Soak) {
    let clients = Arc::new(Clients {
        stack: start(stack.concurrency, &[]).await,
        history: History::new(match soak.kill_every {
            Some(_) => Deaths::Happen,
            None => Deaths::None,
        }),
        measured: Mutex::default(),
    });
    println!("{soak:?}, {stack:?}");
    let killer = soak.kill_every.map(|every| {
        let clients = Arc::clone(&clients);
        tokio::spawn(
            async move { kill_for_ever(&clients.stack, every, Seed::new(soak.seed)).await },
        )
    });
    let mut arrivals = Arrivals::new(soak.seed, soak.rate);
    let mut under_way = JoinSet::new();
    let began = Instant::now();
    let mut at = began;
    let mut behind = Duration::ZERO;
    let progress = tokio::spawn(tell(Arc::clone(&clients), began));
    loop {
        at += arrivals.gap();
        if at > began + soak.lasts {
            break;
        }
        sleep_until(at).await;
        behind = behind.max(at.elapsed());
        let (asks, order) = arrivals.asks(&clients.history);
        under_way.spawn(Arc::clone(&clients).arrive(asks, order, at));
        while under_way
            .try_join_next()
            .is_some_and(|ended| ended.map(|()| true).unwrap())
        {}
    }
    under_way.join_all().await;
    progress.abort();
    let took = began.elapsed();
    if let Some(killer) = killer {
        killer.abort();
    }
    let account = clients.history.check(&clients.stack, REST).await;

    let measured = std::mem::take(&mut *clients.measured());
    let per_second = f64::from(u32::try_from(measured.settled.len()).unwrap()) / took.as_secs_f64();
    println!(
        "arrivals      {:?}; sent {behind:?} late at most",
        measured.asks
    );
    println!("settled       {per_second:.1} a second over {took:.1?}");
    println!("first answer  {}", Quantiles::of(measured.answered));
    println!("final answer  {}", Quantiles::of(measured.settled));
    println!("answers       {:?}", measured.answers);
    let processes = clients.stack.processes().await;
    let died: u32 = processes.iter().map(|process| process.restarts).sum();
    println!("processes     {died} died");
    println!("invariants    all hold: {account:?}");
}

impl Clients {
    fn measured(&self) -> std::sync::MutexGuard<'_, Measured> {
        self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One arrival, until it has its final answer.
    async fn arrive(self: Arc<Self>, asks: Asks, order: Order, at: Instant) {
        *self.measured().asks.entry(asks).or_default() += 1;
        match asks {
            Asks::First | Asks::Again => self.settle(order, at).await,
            Asks::AtOnce => drop(tokio::join!(self.settle(order, at), self.settle(order, at))),
            Asks::Other => {
                for tries in 0.. {
                    let other = self.stack.decide(&order.key(), &order.other_body());
                    let answer = other.try_send().await;
                    let told = self.history.told_other(order, &answer);
                    if self.note(&answer, told == Told::Reused, at, tries) {
                        return;
                    }
                    sleep(pause(tries, at)).await;
                }
            }
        }
    }

    async fn settle(&self, order: Order, at: Instant) {
        for tries in 0.. {
            let answer = order.ask(&self.stack).try_send().await;
            let told = self.history.told(order, &answer);
            if self.note(&answer, told == Told::Decided, at, tries) {
                return;
            }
            sleep(pause(tries, at)).await;
        }
    }

    /// Counts an answer; whether it is the last one.
    fn note(&self, answer: &Result<Answer, String>, last: bool, at: Instant, tries: u32) -> bool {
        let mut measured = self.measured();
        if tries == 0 {
            measured.answered.push(at.elapsed());
        }
        if last {
            measured.settled.push(at.elapsed());
        }
        *measured.answers.entry(class(answer)).or_default() += 1;
        last
    }
}

/// A run that is slow says so: arrivals go on, whatever becomes of them.
async fn tell(clients: Arc<Clients>, began: Instant) {
    let mut pace = interval(PROGRESS);
    loop {
        pace.tick().await;
        let measured = clients.measured();
        let arrived: u32 = measured.asks.values().sum();
        eprintln!(
            "{:.0?}: {arrived} arrived, {} settled, answers {:?}",
            began.elapsed(),
            measured.settled.len(),
            measured.answers
        );
    }
}

/// Twice as long each time, less up to a half of it, so that those who were turned away together do not come again together.
fn pause(tries: u32, at: Instant) -> Duration {
    let longest = FIRST_PAUSE
        .saturating_mul(1 << tries.min(8))
        .min(LONGEST_PAUSE);
    // Arrivals are apart by chance: so are their pauses.
    let part = at.elapsed().subsec_micros() % 1_000;
    longest - longest / 2 * part / 1_000
}

/// The status, and of whom it is.
fn class(answer: &Result<Answer, String>) -> String {
    let Ok(answer) = answer else {
        return "none".to_owned();
    };
    let status = answer.status.as_u16();
    let is_the_gateways = status >= 500 && answer.header("retry-after").is_none();
    let whose = if is_the_gateways {
        " of the gateway"
    } else {
        ""
    };
    format!("{status}{whose}")
}
