//! The SDK client: settings from the standard `AWS_*` variables, limits from here.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Builder;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;

use decide_once_aws::Ahead;

use crate::home::{ClientError, at_home};

/// How often the SDK sends one call, the first time included. It re-sends the same bytes, so a write that had landed is
/// recognised by its owner token or its `ClientRequestToken`.
pub const ATTEMPTS: u32 = 3;

/// How long a connection may take. Inside a region it takes a few milliseconds.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long one attempt may take. AWS recommends at least a second for transactions, so that a retry does not meet its own
/// predecessor as `TransactionInProgressException`
/// (<https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html>).
pub const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a call may take with all its attempts. Two such calls (reserve and commit) and the look after an unknown
/// outcome fit twice into the 30 seconds after which API Gateway gives up; the service checks the remaining time before
/// each call.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// The first back-off between attempts, doubled and jittered. DynamoDB answers within milliseconds, so the SDK's general
/// default of a second would waste the caller's time.
pub const FIRST_BACKOFF: Duration = Duration::from_millis(50);

/// The longest back-off between attempts.
pub const LONGEST_BACKOFF: Duration = Duration::from_secs(1);

/// Builds the client from the standard variables: `AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID`, `AWS_CA_BUNDLE` and the rest.
/// Once for a process: it holds the connections. It is made [ahead](Ahead).
///
/// # Errors
/// [`ClientError`]: the variables do not say how to reach DynamoDB, or `HOME_REGION` is another region.
pub async fn client_from_env() -> Result<Ahead<Client>, ClientError> {
    let environment = decide_once_aws::environment().await?;
    at_home(environment.region().map_or("", AsRef::as_ref))?;
    Ok(Ahead::begin(move || {
        Client::from_conf(limited(Builder::from(&environment)).build())
    }))
}

/// Sets this module's attempts and timeouts.
#[must_use]
pub fn limited(config: Builder) -> Builder {
    let retries = RetryConfig::standard()
        .with_max_attempts(ATTEMPTS)
        .with_initial_backoff(FIRST_BACKOFF)
        .with_max_backoff(LONGEST_BACKOFF);
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .operation_attempt_timeout(ATTEMPT_TIMEOUT)
        .operation_timeout(CALL_TIMEOUT)
        .build();
    config.retry_config(retries).timeout_config(timeouts)
}
