//! The command line of `outbox` and `operation`.

use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand, builder::NonEmptyStringValueParser};
use decide_once_protocol::{ids::EventId, key::IdempotencyKey, scope::OperationId, scope::Tenant};

use super::span;

/// What the exit codes say, in every command's help.
const EXIT_CODES: &str = "Exit codes: 0 all is done; 1 something is not there, cannot be read or was not done; 2 wrong usage.";

/// Where a local stack is unless it was told otherwise.
const LOCAL: &str = "http://127.0.0.1:3000";

/// An operator's command.
#[derive(Debug, Clone)]
pub enum OperatorArgs {
    /// `outbox …`
    Outbox(OutboxArgs),
    /// `operation …`
    Operation(OperationArgs),
}

/// Arguments of `outbox`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXIT_CODES)]
pub struct OutboxArgs {
    /// What to do
    #[command(subcommand)]
    pub command: OutboxCommand,
    /// Say it as JSON, one object a line
    #[arg(long, global = true)]
    pub json: bool,
    /// Which store
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Arguments of `operation`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXIT_CODES)]
pub struct OperationArgs {
    /// What to do
    #[command(subcommand)]
    pub command: OperationCommand,
    /// Say it as JSON, one object a line
    #[arg(long, global = true)]
    pub json: bool,
    /// Which store
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Which store. Region, credentials, endpoint and trust come from the standard `AWS_*` variables, unless a local stack is named.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Store (without --local or --stack: what the AWS_* variables name)")]
pub struct StoreArgs {
    /// The local stack on http://127.0.0.1:3000
    #[arg(long, global = true)]
    pub local: bool,
    /// The local stack at this address; it says where its tables are
    #[arg(long, value_name = "URL", global = true, conflicts_with = "local")]
    pub stack: Option<String>,
    /// The table of operations (a local stack names its own)
    #[arg(
        long,
        value_name = "NAME",
        global = true,
        env = "OPERATIONS_TABLE",
        value_parser = NonEmptyStringValueParser::new(),
        default_value = "operations"
    )]
    pub operations_table: String,
    /// The table of decisions (a local stack names its own)
    #[arg(
        long,
        value_name = "NAME",
        global = true,
        env = "DECISIONS_TABLE",
        value_parser = NonEmptyStringValueParser::new(),
        default_value = "decisions"
    )]
    pub decisions_table: String,
    /// The table of events on their way out (a local stack names its own)
    #[arg(
        long,
        value_name = "NAME",
        global = true,
        env = "OUTBOX_TABLE",
        value_parser = NonEmptyStringValueParser::new(),
        default_value = "outbox"
    )]
    pub outbox_table: String,
}

impl StoreArgs {
    /// The address of the local stack that is meant, if one is.
    pub(super) fn stack(&self) -> Option<&str> {
        self.stack.as_deref().or(self.local.then_some(LOCAL))
    }
}

/// What to do with events.
#[derive(Debug, Clone, Subcommand)]
pub enum OutboxCommand {
    /// List the events that their sink does not have, oldest first
    #[command(after_help = EXIT_CODES)]
    List(ListRowsArgs),
    /// Show where one event stands
    #[command(after_help = EXIT_CODES)]
    Show(ShowRowArgs),
    /// Have events sent again, with the ids that they have
    ///
    /// A redrive makes an existing row undelivered under a fresh marker, and the publisher sends it. It never creates a row. Run twice,
    /// --quarantined finds nothing the second time; an EVENT is sent once more, with the same id. After an interruption run it again.
    #[command(after_help = EXIT_CODES)]
    Redrive(RedriveArgs),
}

/// Arguments of `outbox list`.
#[derive(Debug, Clone, Args)]
pub struct ListRowsArgs {
    /// Those that their sink refuses for good, instead of those that are still to be sent
    #[arg(long)]
    pub quarantined: bool,
    /// How many to show; all are counted
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub limit: u32,
    /// Only those that have been so for longer: 90s, 5m, 2h, 7d
    #[arg(long, value_name = "SPAN", value_parser = span::parse)]
    pub older_than: Option<Duration>,
}

/// Arguments of `outbox show`.
#[derive(Debug, Clone, Args)]
pub struct ShowRowArgs {
    /// The event's id
    #[arg(value_parser = event)]
    pub event: EventId,
    /// With what the event says: the whole CloudEvent
    #[arg(long)]
    pub data: bool,
}

/// Arguments of `outbox redrive`.
#[derive(Debug, Clone, Args)]
#[command(group(ArgGroup::new("which").args(["events", "quarantined"]).required(true)))]
pub struct RedriveArgs {
    /// These events, wherever they stand: a delivered one is sent once more
    #[arg(value_name = "EVENT", value_parser = event)]
    pub events: Vec<EventId>,
    /// All that are quarantined, oldest first; asks before it begins
    #[arg(long)]
    pub quarantined: bool,
    /// Only those that have been quarantined for longer: 90s, 5m, 2h, 7d
    #[arg(long, value_name = "SPAN", value_parser = span::parse, requires = "quarantined", conflicts_with = "events")]
    pub older_than: Option<Duration>,
    /// At most so many
    #[arg(
        long,
        value_name = "N",
        requires = "quarantined",
        conflicts_with = "events"
    )]
    pub limit: Option<u32>,
    /// Only say what would be done
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
}

/// What to do with operations.
#[derive(Debug, Clone, Subcommand)]
pub enum OperationCommand {
    /// List operations that nobody waits for and that should have been decided by now, those that are due longest first
    #[command(after_help = EXIT_CODES)]
    List(ListOperationsArgs),
    /// Show one operation
    #[command(after_help = EXIT_CODES)]
    Show(ShowOperationArgs),
}

/// Arguments of `operation list`.
#[derive(Debug, Clone, Args)]
pub struct ListOperationsArgs {
    /// Those that are due: queued, or their worker is gone, or its attempt was given up
    #[arg(long, required = true)]
    pub stale: bool,
    /// How many to show; all are counted
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub limit: u32,
}

/// Arguments of `operation show`.
#[derive(Debug, Clone, Args)]
#[command(group(ArgGroup::new("which").args(["operation", "key"]).required(true)))]
pub struct ShowOperationArgs {
    /// The operation's id
    #[arg(value_name = "OPERATION", value_parser = operation)]
    pub operation: Option<OperationId>,
    /// Instead of the id: whose it is
    #[arg(long, value_parser = Tenant::parse, requires = "key", conflicts_with = "operation")]
    pub tenant: Option<Tenant>,
    /// Instead of the id: its idempotency key, without quotes
    #[arg(long, value_parser = IdempotencyKey::parse, requires = "tenant")]
    pub key: Option<IdempotencyKey>,
    /// With tenant, key, subject, and facts or outcome, as far as they are kept
    #[arg(long)]
    pub facts: bool,
}

fn event(argument: &str) -> Result<EventId, String> {
    EventId::parse(argument).ok_or_else(|| {
        "it is a decision's id, a dot and a number, as a decision lists its events".to_owned()
    })
}

fn operation(argument: &str) -> Result<OperationId, String> {
    OperationId::parse(argument).map_err(|error| error.to_string())
}
