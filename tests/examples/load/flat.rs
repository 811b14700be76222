//! Function processes that live through many requests: their memory stays where it was once they were warm.

use std::{
    collections::BTreeMap,
    fs,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use decide_once_tests::{
    Stack, StackProcess,
    history::{Deaths, History, Told},
};
use tokio::task::JoinSet;

use crate::{
    arguments::StackArguments,
    arrivals::{Arrivals, Asks},
    soak,
};

/// Points at which memory is read.
const POINTS: usize = 20;

/// By this point a process is warm: its connections, caches and the allocator's arenas have their size.
const WARM: usize = 5;

/// How much more than when it was warm a process may have at any later point, in KiB. Over 100,000 requests and eight processes that is what
/// a loss of some 230 bytes a request comes to, and of 30 an event in the one that publishes.
const MORE_KIB: u64 = 2_048;

/// A process's memory in KiB, of `/proc/PID/status` (proc_pid_status(5)).
#[derive(Clone, Copy, Debug)]
struct Kib {
    /// `RssAnon`: heap and stacks, which a leak makes larger.
    own: u64,
    /// `VmRSS`: with the pages of its program and libraries, of which there are more with each path that is taken for the first time.
    resident: u64,
}

/// By function and process, at each point.
type Memory = BTreeMap<(String, u32), Vec<Kib>>;

pub(crate) async fn run(arguments: &StackArguments, requests: usize) {
    // Of one trace: a process keeps something of each that it sees, and that is not this project's (docs/performance.md).
    let stack = Arc::new(soak::start(arguments.concurrency, &["--one-trace"]).await);
    let history = Arc::new(History::new(Deaths::None));
    let arrivals = Arc::new(Mutex::new(Arrivals::new(1, 1)));
    let (mut memory, began) = (Memory::new(), Instant::now());
    for point in 1..=POINTS {
        let mut clients = JoinSet::new();
        let each = requests / POINTS / usize::from(arguments.concurrency);
        for _ in 0..arguments.concurrency {
            let (stack, history) = (Arc::clone(&stack), Arc::clone(&history));
            clients.spawn(ask(stack, history, Arc::clone(&arrivals), each));
        }
        clients.join_all().await;
        let processes = stack.processes().await;
        for process in &processes {
            assert_eq!(process.restarts, 0, "{process:?} died");
            let of = (process.function.clone(), process.pid);
            memory.entry(of).or_default().push(Kib::of(process));
        }
        let asked = each * usize::from(arguments.concurrency) * point;
        println!(
            "{asked} requests after {:.0?}: {}",
            began.elapsed(),
            shown(&memory)
        );
    }
    let grown: Vec<_> = memory
        .iter()
        .filter(|(_, points)| has_grown(points))
        .collect();
    assert!(grown.is_empty(), "memory that grows: {grown:?}");
    println!(
        "flat: no process has more than {MORE_KIB} KiB over what it had when a quarter was done"
    );
}

async fn ask(
    stack: Arc<Stack>,
    history: Arc<History>,
    arrivals: Arc<Mutex<Arrivals>>,
    count: usize,
) {
    for _ in 0..count {
        let (asks, order) = {
            let mut arrivals = arrivals.lock().unwrap_or_else(PoisonError::into_inner);
            arrivals.asks(&history)
        };
        if asks == Asks::Other {
            let other = stack.decide(&order.key(), &order.other_body());
            let _ = history.told_other(order, &other.try_send().await);
            continue;
        }
        while history.told(order, &order.ask(&stack).try_send().await) != Told::Decided {}
    }
}

fn has_grown(points: &[Kib]) -> bool {
    let (warm, later) = points.split_at(WARM.min(points.len()));
    let warm = warm.iter().map(|kib| kib.own).max().unwrap_or(0);
    later.iter().any(|now| now.own > warm + MORE_KIB)
}

impl Kib {
    fn of(process: &StackProcess) -> Self {
        let status = fs::read_to_string(format!("/proc/{}/status", process.pid)).unwrap();
        let value = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kib = line.unwrap().trim().strip_suffix(" kB").unwrap();
            kib.parse().unwrap()
        };
        Self {
            own: value("RssAnon:"),
            resident: value("VmRSS:"),
        }
    }
}

/// The largest process of each function.
fn shown(memory: &Memory) -> String {
    let mut largest: BTreeMap<&str, Kib> = BTreeMap::new();
    for ((function, _), points) in memory {
        let Some(&now) = points.last() else { continue };
        let largest = largest.entry(function).or_insert(now);
        if now.own > largest.own {
            *largest = now;
        }
    }
    let shown = largest
        .iter()
        .map(|(function, Kib { own, resident })| format!("{function} {own} KiB of {resident}"));
    shown.collect::<Vec<_>>().join(", ")
}
