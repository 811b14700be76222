//! What a function process finds in its environment: Lambda's own variables and what `template.yaml` sets on AWS.

use std::{collections::BTreeMap, ffi::OsString, path::PathBuf, sync::Arc};

use decide_once_service::crash;

use crate::{by_hand, engine::TableNames, names, proxy::Proxy, runtime_api::InstanceId};

/// Of the developer's own environment only this passes: what the loader, temporary files and diagnosis need. Everything else stays
/// outside, above all `AWS_PROFILE` and `HTTP_PROXY`, with which calls might leave the machine.
const PASSED_ON: [&str; 7] = [
    "PATH",
    "HOME",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "RUST_BACKTRACE",
    "RUST_LOG",
];

/// Memory that a function believes to have; nothing enforces it here.
const MEMORY_MB: &str = "512";

/// Whose requests come from the intake's queue: the tenant of a caller without a token.
const LOCAL_TENANT: &str = "local";

/// The environment of all function processes of a stack.
#[derive(Debug, Clone)]
pub struct Environment {
    /// Where the Runtime API listens: `http://127.0.0.1:port`.
    pub runtime_api: String,
    /// Each function's way to DynamoDB's API.
    pub stores: BTreeMap<&'static str, Arc<Proxy>>,
    /// The tables.
    pub tables: TableNames,
    /// The policies' directory.
    pub policies: PathBuf,
    /// The file that the local clock is read from ([`LocalClock`](crate::clock::LocalClock)).
    pub clock: PathBuf,
    /// The directory of armed crash points ([`CrashPoints`](crate::crash_points::CrashPoints)).
    pub crash_points: PathBuf,
    /// The stack's own address: the sink, the queues and the review desk are there.
    pub url: String,
    /// `--env NAME=VALUE`.
    pub extra: Vec<(String, String)>,
}

/// A variable that the stack sets itself cannot be set with `--env`.
#[derive(Debug, thiserror::Error)]
#[error("the variable {0} is set by the stack itself; leave it out of --env")]
pub struct ReservedName(pub String);

impl Environment {
    /// Refuses `--env` variables that the stack sets itself.
    ///
    /// # Errors
    /// [`ReservedName`] with the first one.
    pub fn check(&self) -> Result<(), ReservedName> {
        let own = self.own_variables("", InstanceId(0), 0);
        match self
            .extra
            .iter()
            .find(|(name, _)| own.iter().any(|(taken, _)| taken == name))
        {
            Some((name, _)) => Err(ReservedName(name.clone())),
            None => Ok(()),
        }
    }

    /// All variables of one process.
    pub(super) fn variables(
        &self,
        function: &str,
        instance: InstanceId,
        ahead_ms: i64,
    ) -> Vec<(String, OsString)> {
        let passed_on = PASSED_ON
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?)));
        let extra = self
            .extra
            .iter()
            .map(|(name, value)| (name.clone(), OsString::from(value)));
        let own = self
            .own_variables(function, instance, ahead_ms)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        passed_on.chain(extra).chain(own).collect()
    }

    fn own_variables(
        &self,
        function: &str,
        instance: InstanceId,
        ahead_ms: i64,
    ) -> Vec<(&'static str, OsString)> {
        let store = self
            .stores
            .get(function)
            .map(|store| store.endpoint())
            .unwrap_or_default();
        let runtime_api = format!("{}/{function}/{instance}", self.runtime_api);
        vec![
            // https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
            ("AWS_LAMBDA_RUNTIME_API", runtime_api.into()),
            ("AWS_LAMBDA_FUNCTION_NAME", function.into()),
            ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST".into()),
            ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", MEMORY_MB.into()),
            (
                "AWS_LAMBDA_LOG_GROUP_NAME",
                format!("/aws/lambda/{function}").into(),
            ),
            (
                "AWS_LAMBDA_LOG_STREAM_NAME",
                format!("local/{instance}").into(),
            ),
            ("AWS_REGION", names::REGION.into()),
            // The engine accepts any signature; the SDK insists on making one.
            ("AWS_ACCESS_KEY_ID", "local".into()),
            ("AWS_SECRET_ACCESS_KEY", "local".into()),
            ("AWS_ENDPOINT_URL_DYNAMODB", store.into()),
            // No look-up of instance metadata or of files in a home directory.
            ("AWS_EC2_METADATA_DISABLED", "true".into()),
            ("AWS_CONFIG_FILE", "/dev/null".into()),
            ("AWS_SHARED_CREDENTIALS_FILE", "/dev/null".into()),
            ("OPERATIONS_TABLE", self.tables.operations.clone().into()),
            ("DECISIONS_TABLE", self.tables.decisions.clone().into()),
            ("OUTBOX_TABLE", self.tables.outbox.clone().into()),
            ("POLICIES_DIR", self.policies.clone().into()),
            ("INBOX_TABLE", self.tables.inbox.clone().into()),
            ("BALANCES_TABLE", self.tables.balances.clone().into()),
            (
                "SINK_URL",
                format!("{}/_local/sink/receive", self.url).into(),
            ),
            // With `--env SINK=sqs` events take this way to their consumer.
            (
                "SINK_QUEUE_URL",
                names::queue_url(&self.url, names::CONSUME).into(),
            ),
            (
                "AWS_ENDPOINT_URL_SQS",
                format!("{}/_local/sqs", self.url).into(),
            ),
            (
                "REVIEW_DESK_URL",
                format!("{}/_local/reviews/receive", self.url).into(),
            ),
            ("INTAKE_TENANT", LOCAL_TENANT.into()),
            (
                "DEAD_LETTER_QUEUE_URL",
                names::queue_url(&self.url, names::INTAKE_DEAD).into(),
            ),
            // The tables are there: a function need not look.
            (by_hand::STACK, "1".into()),
            ("WRITE_SCOPE", "decisions:write".into()),
            ("READ_SCOPE", "decisions:read".into()),
            ("DECIDE_ONCE_LOCAL_CLOCK", self.clock.clone().into()),
            (
                "DECIDE_ONCE_LOCAL_CLOCK_AHEAD_MS",
                ahead_ms.to_string().into(),
            ),
            (crash::DIRECTORY, self.crash_points.clone().into()),
        ]
    }
}
