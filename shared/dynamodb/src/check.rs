//! Whether the tables are there, for whoever starts a function by hand.

use std::time::Duration;

use aws_sdk_dynamodb::config::Builder;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::operation::describe_table::DescribeTableError;

use crate::DynamoStore;

/// How long an answer is waited for: a store that is down now may be up for the first request.
const PATIENCE: Duration = Duration::from_millis(500);

/// DynamoDB says that there is no such table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no table {0}; create it, or correct the variable that names it, the region or the endpoint"
)]
pub struct MissingTable(String);

impl DynamoStore {
    /// Asks for each of `tables`. One round trip each, and a permission (`dynamodb:DescribeTable`) that nothing else needs:
    /// deployed functions do without, and log what DynamoDB says of the first request.
    ///
    /// # Errors
    /// A table does not exist. A store that does not answer says nothing of its tables.
    pub async fn check_tables(&self, tables: &[&str]) -> Result<(), MissingTable> {
        let limits = Builder::new()
            .retry_config(RetryConfig::disabled())
            .timeout_config(TimeoutConfig::builder().operation_timeout(PATIENCE).build());
        for table in tables {
            let described = self
                .client
                .describe_table()
                .table_name(*table)
                .customize()
                .config_override(limits.clone())
                .send()
                .await;
            let missing = described.is_err_and(|error| {
                error
                    .as_service_error()
                    .is_some_and(DescribeTableError::is_resource_not_found_exception)
            });
            if missing {
                return Err(MissingTable((*table).to_owned()));
            }
        }
        Ok(())
    }
}
