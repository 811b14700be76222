//! Replays a seed: `cargo run -p decide-once-simulation -- --seed 7`.

use std::process::ExitCode;

use clap::Parser;
use decide_once_simulation::{Bug, Plan, check, shrink, simulate};

/// Runs a simulation and prints its timeline; one that violates a tenet is made as small as it gets first.
#[derive(Debug, Parser)]
struct Arguments {
    /// Which history.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Looks for the first of so many seeds, from that one on, that violates a tenet.
    #[arg(long, default_value_t = 1)]
    among: u64,
    /// Something to be broken deliberately.
    #[arg(long)]
    bug: Option<Bug>,
    /// Prints the history as it is, however long.
    #[arg(long)]
    whole: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let plan_of = |seed| Plan {
        bug: arguments.bug,
        ..Plan::of(seed)
    };
    let mut seeds = arguments.seed..arguments.seed.saturating_add(arguments.among);
    let last = seeds.end.saturating_sub(1);
    let found = seeds.find(|seed| check(&simulate(&plan_of(*seed))).is_err());
    let mut plan = plan_of(found.unwrap_or(last));
    if !arguments.whole {
        plan = shrink(&plan);
    }
    let run = simulate(&plan);
    print!("{plan}");
    for entry in &run.entries {
        println!("{entry}");
    }
    match check(&run) {
        Ok(()) => {
            println!("every tenet holds");
            ExitCode::SUCCESS
        }
        Err(violation) => {
            println!("{violation}");
            ExitCode::FAILURE
        }
    }
}
