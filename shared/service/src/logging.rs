//! Logs: JSON lines on standard output, as Lambda collects them.
//!
//! What this project's own crates say names no key, fact, outcome or token, at any level. What the crates beneath say may quote
//! whatever they were handed: at `trace` the Lambda runtime prints events and the SDK requests, and an error of a parser, or a
//! panic, quotes what it stumbled over. So of theirs only warnings and errors are told at all, by the place in their code and
//! without their words, whatever `RUST_LOG` says.
//!
//! A line may have metrics ([`crate::metrics`]), and each line with an `alarm` counts as one.

mod line;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::env;
use std::fmt;
use std::panic;

use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets, filter_fn};
use tracing_subscriber::fmt::format::{self, FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, layer};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::metrics::Origin;
use crate::variables::{VariableError, optional};

/// Levels, by targets. Read by `Targets` and not by `EnvFilter`, which brings an engine of regular expressions into each function.
const LEVELS: &str = "RUST_LOG";

/// Whose words are repeated, by the beginning of an event's target: this project's crates, and the one that looks for a region and
/// for credentials, and never sees a request.
const TRUSTED: [&str; 3] = ["decide_once", "fn_", "aws_config"];

/// In the place of what another crate says.
const LEFT_OUT: &str =
    "a crate beneath has something to say; it may quote a request, so that only its place is told";

/// Starts logging in `function`, panics included; the level is `RUST_LOG`'s, else `info`. A second call does nothing.
///
/// # Errors
/// `METRICS_NAMESPACE` is no namespace, or `RUST_LOG` no level.
pub fn init(function: &'static str) -> Result<(), VariableError> {
    Origin::from_env(function)?.hold();
    let levels: Option<Targets> = optional(LEVELS, "a level: error, warn, info, debug or trace")?;
    let written = layer().event_format(Reticent {
        trusted: Lines,
        other: json_line,
    });
    let started = tracing_subscriber::registry()
        .with(levels.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO)))
        .with(written.with_filter(filter_fn(is_told)))
        .try_init();
    if started.is_ok() {
        panic::set_hook(Box::new(panicked));
    }
    Ok(())
}

/// Starts logging for people, on standard error; the level is `RUST_LOG`'s, else `default`. A second call does nothing.
pub fn init_for_people(default: &str) {
    let written = layer().with_writer(std::io::stderr).event_format(Reticent {
        trusted: format::format(),
        other: text_line,
    });
    let started = tracing_subscriber::registry()
        .with(level(default))
        .with(written.with_filter(filter_fn(is_told)))
        .try_init();
    drop(started);
}

fn level(default: &str) -> Targets {
    let wanted = env::var(LEVELS).ok().and_then(|text| text.parse().ok());
    wanted
        .or_else(|| default.parse().ok())
        .unwrap_or_else(|| Targets::new().with_default(LevelFilter::WARN))
}

fn is_trusted(target: &str) -> bool {
    TRUSTED.iter().any(|trusted| target.starts_with(trusted))
}

fn is_told(metadata: &Metadata<'_>) -> bool {
    is_trusted(metadata.target()) || *metadata.level() <= Level::WARN
}

/// A message of the standard library's hook would be the panic's own words: `byte index 1 is not a char boundary; it is inside 'ä'
/// of …`.
fn panicked(info: &panic::PanicHookInfo<'_>) {
    let backtrace = Backtrace::capture();
    let is_known = backtrace.status() == BacktraceStatus::Captured;
    tracing::error!(
        alarm = "panic",
        place = info.location().map(ToString::to_string),
        backtrace = is_known.then(|| backtrace.to_string()),
        "a panic; it may quote a request, so that only its place is told"
    );
}

/// Writes trusted events as they are, and of others that there was one.
struct Reticent<F> {
    trusted: F,
    other: fn(&Metadata<'_>) -> String,
}

impl<S, N, F> FormatEvent<S, N> for Reticent<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        if is_trusted(event.metadata().target()) {
            self.trusted.format_event(context, writer, event)
        } else {
            writeln!(writer, "{}", (self.other)(event.metadata()))
        }
    }
}

/// Writes events as lines of JSON.
struct Lines;

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        writeln!(writer, "{}", line::of(event))
    }
}

fn json_line(metadata: &Metadata<'_>) -> String {
    let (level, target) = (metadata.level(), metadata.target());
    let line = metadata.line().unwrap_or_default();
    format!(r#"{{"level":"{level}","message":"{LEFT_OUT}","target":"{target}","line":{line}}}"#)
}

fn text_line(metadata: &Metadata<'_>) -> String {
    let (level, target) = (metadata.level(), metadata.target());
    let line = metadata.line().unwrap_or_default();
    format!("{level} {target}:{line}: {LEFT_OUT}")
}
