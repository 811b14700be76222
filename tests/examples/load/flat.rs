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

/// KiB by function and process, at each point.
type Memory = BTreeMap<(String, u32), Vec<u64>>;

pub(crate) async fn run(arguments: &StackArguments, requests: usize) {
    let stack = Arc::new(soak::start(arguments.concurrency).await);
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
            memory.entry(of).or_default().push(resident_kib(process));
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

fn has_grown(points: &[u64]) -> bool {
    let (warm, later) = points.split_at(WARM.min(points.len()));
    let warm = warm.iter().max().copied().unwrap_or(0);
    later.iter().any(|&now| now > warm + MORE_KIB)
}

/// `VmRSS` of `/proc/PID/status` (proc_pid_status(5)).
fn resident_kib(process: &StackProcess) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", process.pid)).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.unwrap().trim().strip_suffix(" kB").unwrap();
    kib.parse().unwrap()
}

/// The largest process of each function.
fn shown(memory: &Memory) -> String {
    let mut largest: BTreeMap<&str, u64> = BTreeMap::new();
    for ((function, _), points) in memory {
        let now = points.last().copied().unwrap_or(0);
        let largest = largest.entry(function).or_default();
        *largest = now.max(*largest);
    }
    let shown = largest.iter();
    let shown = shown.map(|(function, kib)| format!("{function} {kib} KiB"));
    shown.collect::<Vec<_>>().join(", ")
}
