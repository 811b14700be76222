//! The command line of `submit`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `submit`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "A line is {\"key\":\"…\",\"request\":{\"policy\":…,\"subject\":…,\"facts\":{…}}}. A line without a key has that of its \
                        request's content, so that two equal ones are one operation, and the file may be submitted again.\n\n\
                        Exit codes: 0 every line has a decision; 1 some have none and will have none; 2 nothing was sent; 3 some have none yet, \
                        run it again. With --results \
                        a run goes on where the last one ended."
)]
pub struct SubmitArgs {
    /// The requests, a line each (JSON lines); - is standard input
    pub file: PathBuf,
    /// The service
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:3000")]
    pub url: String,
    /// How many requests are under way at once
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub concurrency: u16,
    /// Keep in this file what the service has recorded of each line, and skip the lines that it has. One file is for one service
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// The variable that has the bearer token, if one is needed
    #[arg(long, value_name = "NAME", default_value = "DECIDE_ONCE_TOKEN")]
    pub token_variable: String,
    /// How long a line is tried before it is left to the next run
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub patience: u64,
    /// How long an answer is waited for
    #[arg(long, value_name = "SECONDS", default_value_t = 35, value_parser = clap::value_parser!(u64).range(1..=900))]
    pub timeout: u64,
}
