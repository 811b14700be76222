//! What a run is told.

use std::time::Duration;

/// What is printed for arguments that are none.
pub(crate) const USAGE: &str = "tests/load [--rate PER_SECOND] [--seconds N] [--seed N] [--kill-every SECONDS, 0 for never] [--concurrency N]
tests/load --flat REQUESTS [--concurrency N]";

/// A run, and the stack that it needs.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) run: Run,
    pub(crate) stack: StackArguments,
}

/// Which run.
#[derive(Debug)]
pub(crate) enum Run {
    Soak(Soak),
    /// So many requests, and flat memory.
    Flat(usize),
}

/// Arrivals for some time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Soak {
    /// Arrivals a second.
    pub(crate) rate: u32,
    pub(crate) lasts: Duration,
    pub(crate) seed: u64,
    /// A random process dies so often.
    pub(crate) kill_every: Option<Duration>,
}

/// How many processes the decide function has.
#[derive(Debug)]
pub(crate) struct StackArguments {
    pub(crate) concurrency: u16,
}

impl Arguments {
    /// # Errors
    /// What is wrong, for whoever typed it.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut rate, mut seconds, mut seed) = (50, 60, 1);
        let (mut kill_every, mut concurrency, mut flat) = (3, 8, None);
        while let Some(name) = arguments.next() {
            let value = arguments.next();
            let value = value.ok_or_else(|| format!("{name} needs a value"))?;
            let number: u64 = value
                .parse()
                .map_err(|_| format!("{name} needs a number, not {value}"))?;
            match name.as_str() {
                "--rate" => rate = number,
                "--seconds" => seconds = number,
                "--seed" => seed = number,
                "--kill-every" => kill_every = number,
                "--concurrency" => concurrency = number,
                "--flat" => flat = Some(number),
                _ => return Err(format!("{name} is not known")),
            }
        }
        let too_large = |_| "a number is too large".to_owned();
        let run = match flat {
            Some(requests) => Run::Flat(requests.try_into().map_err(too_large)?),
            None => Run::Soak(Soak {
                rate: rate.max(1).try_into().map_err(too_large)?,
                lasts: Duration::from_secs(seconds),
                seed,
                kill_every: (kill_every > 0).then(|| Duration::from_secs(kill_every)),
            }),
        };
        let concurrency = concurrency.try_into().map_err(too_large)?;
        let stack = StackArguments { concurrency };
        Ok(Self { run, stack })
    }
}
