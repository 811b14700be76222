//! The command line.

use std::{path::PathBuf, str::FromStr, time::Duration};

use clap::{Args, Parser, Subcommand};

use crate::{
    front::Auth,
    operator::{OperationArgs, OutboxArgs},
    policy::PolicyArgs,
    runtime_api::Traces,
    submit::SubmitArgs,
};

/// Decide Once on this machine: one recorded decision for each business operation, however often it is asked.
#[derive(Debug, Parser)]
#[command(name = "decide-once", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// `serve`, if none is given.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Flags of `serve`.
    #[command(flatten)]
    pub serve: ServeArgs,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start the whole stack on this machine and run the functions on it (the default)
    Serve(ServeArgs),
    /// Check, try and publish policies
    Policy(PolicyArgs),
    /// See which events are on their way or set aside, and have them sent again
    Outbox(OutboxArgs),
    /// See where operations stand, and which are due
    Operation(OperationArgs),
    /// Submit a file of decision requests: each is decided once, however often the file is submitted
    Submit(SubmitArgs),
    /// Be one process of a function; the stack starts these itself
    #[command(hide = true)]
    Function {
        /// The function
        name: String,
    },
}

/// Flags of `serve`.
#[derive(Debug, Clone, Args)]
pub struct ServeArgs {
    /// Port of the HTTP API on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 3000)]
    pub port: u16,
    /// Keep the tables in this directory; without it they are in memory
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Processes of the decide function, which is how many requests are worked on at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub concurrency: u16,
    /// How long the HTTP API waits for the function (1 to 30; AWS allows no more than 30)
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=30))]
    pub gateway_timeout: u64,
    /// How long one invocation may take before its process is killed (1 to 900)
    #[arg(long, value_name = "SECONDS", default_value_t = 29, value_parser = clap::value_parser!(u64).range(1..=900))]
    pub function_timeout: u64,
    /// Whether requests need a token (tok-alpha or tok-beta)
    #[arg(long, value_enum, default_value_t = Auth::Optional)]
    pub auth: Auth,
    /// The policies; the default is the workspace's own
    #[arg(long, value_name = "DIR")]
    pub policies: Option<PathBuf>,
    /// How far the clocks of a function's processes are ahead, one after the other and again from the start: `0,60000`
    /// makes every second one a minute fast
    #[arg(
        long,
        value_name = "MS,…",
        default_value = "0",
        allow_hyphen_values = true
    )]
    pub skew_ms: Skew,
    /// How often a batch of events that fails is tried again before the on-failure destination has it (0 to 10000);
    /// without it, for as long as it takes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub publish_retries: Option<u32>,
    /// Seconds between two sweeps for what the streams have missed; 0 is never (`POST /_local/schedules/sweep` all the same)
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub sweep_every: u64,
    /// How long a queue's message that was received is nobody else's; one that is not done comes again then
    #[arg(long, value_name = "MS", default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(50..=43_200_000))]
    pub queue_visibility_ms: u64,
    /// How often a queue's message is delivered before its dead-letter queue has it (1 to 1000)
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub queue_receives: u32,
    /// All invocations are of one trace; without it each has its own
    #[arg(long)]
    pub one_trace: bool,
    /// A further variable for the functions; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub env: Vec<(String, String)>,
}

impl ServeArgs {
    /// `--gateway-timeout`.
    pub fn gateway_timeout(&self) -> Duration {
        Duration::from_secs(self.gateway_timeout)
    }

    /// `--sweep-every`.
    pub fn sweep_every(&self) -> Option<Duration> {
        (self.sweep_every > 0).then(|| Duration::from_secs(self.sweep_every))
    }

    /// `--one-trace`.
    pub fn traces(&self) -> Traces {
        if self.one_trace {
            Traces::One
        } else {
            Traces::EachItsOwn
        }
    }

    /// `--function-timeout`.
    pub fn function_timeout(&self) -> Duration {
        Duration::from_secs(self.function_timeout)
    }
}

/// `--skew-ms`: how far clocks are ahead, in milliseconds. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skew(Vec<i64>);

impl Skew {
    /// Of a function's process by its number.
    pub fn of(&self, process: u16) -> i64 {
        self.0[usize::from(process) % self.0.len()]
    }
}

/// A year either way: clocks that no host has, and no sum with a moved clock leaves the range of instants.
const LARGEST_SKEW_MS: i64 = 366 * 24 * 3_600 * 1_000;

impl FromStr for Skew {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let skews = text.split(',').map(|ms| {
            let ms = ms.trim().parse().ok();
            ms.filter(|ms| (-LARGEST_SKEW_MS..=LARGEST_SKEW_MS).contains(ms))
        });
        skews.collect::<Option<_>>().map(Self).ok_or_else(|| {
            "it must be whole milliseconds, at most a year of them, separated by commas".to_owned()
        })
    }
}

fn variable(argument: &str) -> Result<(String, String), String> {
    match argument.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("it must have the form NAME=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn serve_is_the_default_and_takes_the_same_flags() {
        let bare = Cli::try_parse_from(["decide-once", "--port", "0"]).unwrap();
        assert!(bare.command.is_none());
        assert_eq!(bare.serve.port, 0);
        let named = Cli::try_parse_from(["decide-once", "serve", "--port", "0"]).unwrap();
        assert!(matches!(named.command, Some(Command::Serve(args)) if args.port == 0));
    }

    #[test]
    fn skews_go_round() {
        let skew: Skew = "0,60000,-500".parse().unwrap();
        let of_five: Vec<_> = (0..5).map(|process| skew.of(process)).collect();
        assert_eq!(of_five, [0, 60_000, -500, 0, 60_000]);
        assert!("".parse::<Skew>().is_err() && "1,,2".parse::<Skew>().is_err());
    }

    #[test]
    fn variables_have_a_name() {
        assert_eq!(
            variable("A=b=c").unwrap(),
            ("A".to_owned(), "b=c".to_owned())
        );
        assert!(variable("A").is_err() && variable("=b").is_err());
    }
}
