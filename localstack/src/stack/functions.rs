//! Which functions the stack runs, and their start.

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use decide_once_policy::PolicySet;

use super::{StartError, error::system};
use crate::{
    cli::{ServeArgs, Skew},
    names, policies,
    processes::{Environment, Supervisor},
    runtime_api::{FunctionSpec, Functions},
};

/// A function of the stack.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) name: &'static str,
    timeout: Duration,
    processes: u16,
}

impl Plan {
    pub(super) fn spec(&self) -> FunctionSpec {
        FunctionSpec {
            name: self.name,
            timeout: self.timeout,
        }
    }
}

/// How long a batch of operations may take.
pub(super) const EVALUATE_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a batch may take: longer than ten events whose sink is slow.
pub(super) const PUBLISH_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a sweep may take; the rest is the next one's.
pub(super) const SWEEP_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a batch of events may take: each is two or three round trips.
pub(super) const CONSUME_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a batch of decision requests may take.
pub(super) const INTAKE_TIMEOUT: Duration = Duration::from_secs(5);

pub(super) fn plan(args: &ServeArgs) -> Vec<Plan> {
    vec![
        Plan {
            name: names::DECIDE,
            timeout: args.function_timeout(),
            processes: args.concurrency,
        },
        // A mapping hands in one batch of a shard at a time, and the engine's streams have one shard.
        Plan {
            name: names::EVALUATE,
            timeout: EVALUATE_TIMEOUT,
            processes: 1,
        },
        Plan {
            name: names::PUBLISH,
            timeout: PUBLISH_TIMEOUT,
            processes: 1,
        },
        // A mapping from a queue hands in one batch at a time, here.
        Plan {
            name: names::CONSUME,
            timeout: CONSUME_TIMEOUT,
            processes: 1,
        },
        Plan {
            name: names::INTAKE,
            timeout: INTAKE_TIMEOUT,
            processes: 1,
        },
        // One at a time.
        Plan {
            name: names::SWEEP,
            timeout: SWEEP_TIMEOUT,
            processes: 1,
        },
    ]
}

/// Begins to check the policies, beside everything else that has to be there before a function starts.
pub(super) fn check(policies: PathBuf) -> impl Future<Output = Result<PolicySet, StartError>> {
    let check = tokio::task::spawn_blocking(move || policies::check(&policies));
    async {
        match check.await {
            Ok(checked) => Ok(checked?),
            Err(panic) => Err(system("check the policies")(io::Error::other(panic))),
        }
    }
}

/// The first process of each function alone, which is the fastest way to be ready and says once, not N times, what is wrong; then the others.
pub(super) async fn start(
    plan: &[Plan],
    functions: &Arc<Functions>,
    environment: Environment,
    skew: &Skew,
) -> Result<Supervisor, StartError> {
    let mut supervisor = Supervisor::new(Arc::clone(functions), environment);
    for function in plan {
        supervisor.add(function.name, skew.of(0));
    }
    let all_ready = async {
        for function in plan {
            // Unknown functions are none of the plan's.
            let _ = functions.ready(function.name).await;
        }
    };
    let started = tokio::select! {
        () = all_ready => Ok(()),
        failure = supervisor.start_failure() => Err(failure),
    };
    if let Err(failure) = started {
        supervisor.shutdown().await;
        return Err(failure.into());
    }
    supervisor.settled();
    for function in plan {
        for number in 1..function.processes {
            supervisor.add(function.name, skew.of(number));
        }
    }
    Ok(supervisor)
}
