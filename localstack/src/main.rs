//! The command `decide-once`.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Parser, error::ErrorKind};
use decide_once::{
    cli::{Cli, Command},
    function::{self, FunctionError},
    one_line,
    operator::{self, Ended, OperatorArgs},
    policy::{self, PolicyArgs},
    serve,
    submit::{self, Standing, SubmitArgs},
};
use decide_once_protocol::json::Value;
use decide_once_service::logging;

/// Wrong usage, as clap and most commands have it.
const USAGE: u8 = 2;

/// Some lines of a file have no decision yet.
const UNFINISHED: u8 = 3;

/// What the stack prints of itself unless `RUST_LOG` says otherwise. The engine warns of every refused condition, which is how this
/// product learns that a key is taken: every replay would be a warning.
const DEFAULT_FILTER: &str = "warn,dynoxide::server=error";

/// What an operator's command prints of itself: index entries that cannot be read.
const OPERATOR_FILTER: &str = "off,decide_once_dynamodb=error";

#[tokio::main]
async fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match cli.command {
        Some(Command::Function { name }) => match function::run(&name).await {
            Ok(()) => ExitCode::SUCCESS,
            Err(FunctionError::Reported) => ExitCode::FAILURE,
            Err(error) => failure(&error),
        },
        Some(Command::Policy(args)) => policy(&args),
        Some(Command::Outbox(args)) => operate(&OperatorArgs::Outbox(args)).await,
        Some(Command::Operation(args)) => operate(&OperatorArgs::Operation(args)).await,
        Some(Command::Submit(args)) => submit(&args).await,
        Some(Command::Serve(args)) => serve(&args).await,
        None => serve(&cli.serve).await,
    }
}

async fn serve(args: &decide_once::cli::ServeArgs) -> ExitCode {
    logging::init_for_people(DEFAULT_FILTER);
    match serve::run(args).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure(&error),
    }
}

/// Nothing is wrong, or something was found: told on stdout either way, and by the exit code.
fn policy(args: &PolicyArgs) -> ExitCode {
    match policy::run(args) {
        Ok(report) => {
            if args.json {
                println!("{}", Value::from(report.json).to_json());
            } else {
                print!("{}", report.text);
            }
            ExitCode::from(u8::from(!report.well))
        }
        Err(error) => failure(&error),
    }
}

/// What was found goes to stdout; what was not done, or could not be, to stderr and into the exit code.
async fn operate(args: &OperatorArgs) -> ExitCode {
    logging::init_for_people(OPERATOR_FILTER);
    match operator::run(args).await {
        Ok(Ended::Well) => ExitCode::SUCCESS,
        Ok(Ended::Short) => ExitCode::FAILURE,
        Err(error) if error.is_closed_output() => ExitCode::SUCCESS,
        Err(error) if error.is_usage() => {
            failure(&error);
            ExitCode::from(USAGE)
        }
        Err(error) => failure(&error),
    }
}

/// What came of the lines, on stdout, and by the exit code.
async fn submit(args: &SubmitArgs) -> ExitCode {
    match submit::run(args).await {
        Ok(summary) => {
            let shown = write!(io::stdout(), "{summary}");
            if let Err(error) = shown.and_then(|()| io::stdout().flush())
                && error.kind() != io::ErrorKind::BrokenPipe
            {
                failure(&error);
            }
            match summary.standing() {
                Standing::Done => ExitCode::SUCCESS,
                Standing::Refused => ExitCode::FAILURE,
                Standing::Unfinished => ExitCode::from(UNFINISHED),
            }
        }
        Err(error) => {
            let code = if error.is_before_sending() {
                USAGE
            } else {
                UNFINISHED
            };
            failure(&error);
            ExitCode::from(code)
        }
    }
}

fn failure(error: &(dyn std::error::Error + 'static)) -> ExitCode {
    eprintln!("decide-once: {}", one_line(error));
    ExitCode::FAILURE
}

/// Help and version as clap prints them, help also where a subcommand is missing; an error in one line.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
        return ExitCode::from(USAGE);
    }
    let text = error.to_string();
    // What is missing is listed in the lines that follow the first.
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let line = lines.join(" ");
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    eprintln!("decide-once: {line}; see decide-once --help");
    ExitCode::from(USAGE)
}
