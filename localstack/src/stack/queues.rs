//! The queues of the stack, and the functions behind them, as `template.yaml` has them on AWS.

use std::{collections::BTreeMap, io, path::Path, sync::Arc, time::Duration};

use super::functions::{CONSUME_TIMEOUT, INTAKE_TIMEOUT};
use crate::{
    cli::ServeArgs,
    engine::EngineClock,
    names,
    queue::{Queue, QueueMapping, Redrive, Rules},
    runtime_api::Invoker,
};

/// A mapping that runs, by its function.
pub(super) type Feeding = (&'static str, QueueMapping);

/// How many messages a batch has: SQS's default.
const BATCH_SIZE: usize = 10;

/// How many of a function's timeouts a batch waits for a process to take it, and then for its answer.
const PATIENCE: u32 = 20;

/// Each function's queue with its dead-letter queue.
const QUEUES: [(&str, &str, Duration); 2] = [
    (names::CONSUME, names::CONSUME_DEAD, CONSUME_TIMEOUT),
    (names::INTAKE, names::INTAKE_DEAD, INTAKE_TIMEOUT),
];

/// All queues, by name.
pub(super) fn open(
    args: &ServeArgs,
    clock: &EngineClock,
    data: Option<&Path>,
) -> io::Result<BTreeMap<&'static str, Arc<Queue>>> {
    let visibility = Duration::from_millis(args.queue_visibility_ms);
    let mut queues = BTreeMap::new();
    for (name, dead, _) in QUEUES {
        let rules = |redrive| Rules {
            visibility,
            redrive,
        };
        let dead_letters = Queue::open(dead, rules(None), clock.clone(), data)?;
        let redrive = Redrive {
            after: args.queue_receives,
            to: Arc::clone(&dead_letters),
        };
        let queue = Queue::open(name, rules(Some(redrive)), clock.clone(), data)?;
        queues.insert(dead, dead_letters);
        queues.insert(name, queue);
    }
    Ok(queues)
}

/// Starts to feed the functions behind queues.
pub(super) fn start(
    queues: &BTreeMap<&'static str, Arc<Queue>>,
    invoker: &Invoker,
) -> Vec<Feeding> {
    let fed = QUEUES.into_iter().map(|(name, _, timeout)| {
        let queue = Arc::clone(&queues[name]);
        let patience = timeout.saturating_mul(PATIENCE);
        let mapping = QueueMapping::start(queue, invoker.clone(), name, BATCH_SIZE, patience);
        (name, mapping)
    });
    fed.collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use clap::Parser as _;

    use super::*;
    use crate::cli::Cli;

    /// What AWS recommends: a message is nobody else's for six times as long as its function may take
    /// (<https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html>).
    #[test]
    fn k04_a_message_stays_hidden_for_six_times_its_functions_timeout() {
        let args = Cli::try_parse_from(["decide-once"]).unwrap().serve;
        let visibility = Duration::from_millis(args.queue_visibility_ms);
        for (name, _, timeout) in QUEUES {
            assert!(visibility >= timeout * 6, "{name}");
        }
        assert!(args.queue_receives >= 5);
    }
}
