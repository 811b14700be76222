//! The SDK's settings: where and as whom from the standard `AWS_*` variables, limits from here.

use std::time::Duration;

use aws_config::SdkConfig;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use decide_once_aws::EnvironmentError;

/// How long a connection may take. Inside a region it takes a few milliseconds.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// The settings of a client that sends each request once and waits for as long as `timeout`: the publisher sends again,
/// with its own pauses, and only what was not acknowledged.
///
/// # Errors
/// The variables do not say how to reach AWS.
pub(crate) async fn environment(timeout: Duration) -> Result<SdkConfig, EnvironmentError> {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(CONNECT_TIMEOUT.min(timeout))
        .operation_timeout(timeout)
        .build();
    let environment = decide_once_aws::environment().await?.into_builder();
    Ok(environment
        .retry_config(RetryConfig::disabled())
        .timeout_config(timeouts)
        .build())
}
