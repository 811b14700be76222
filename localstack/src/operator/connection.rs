//! The store that a command works on.

use std::{env, time::Duration};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Builder, Credentials, ProvideCredentials as _, Region};
use decide_once_dynamodb::{DynamoStore, TableNames, client};
use decide_once_protocol::time::Timestamp;
use decide_once_service::{ports::Clock as _, system::SystemClock};
use http::Uri;

use super::{OperatorError, args::StoreArgs, error::Table, local_stack};

/// The variables that name an endpoint, the first one first
/// (<https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html>).
const ENDPOINTS: [&str; 2] = ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"];

/// The store that a command works on, with its names for messages.
pub(super) struct Connection {
    pub(super) store: DynamoStore,
    tables: TableNames,
    endpoint: String,
    /// How far the store's functions are ahead of this machine's clock: a local stack's time can be moved.
    ahead: Duration,
}

impl Connection {
    /// The store that the flags and the `AWS_*` variables name. Asks a local stack, if one is meant, and nobody else.
    pub(super) async fn open(args: &StoreArgs) -> Result<Self, OperatorError> {
        match args.stack() {
            Some(url) => Self::of_stack(url).await,
            None => Self::of_environment(args).await,
        }
    }

    async fn of_environment(args: &StoreArgs) -> Result<Self, OperatorError> {
        let environment = decide_once_aws::of_profiles(|loader| loader).await?;
        // Asked here, because the SDK tells of missing credentials as if there were no connection.
        let known = match environment.credentials_provider() {
            Some(provider) => provider.provide_credentials().await.is_ok(),
            None => false,
        };
        if !known {
            return Err(OperatorError::NoCredentials);
        }
        let region = environment.region().map(Region::as_ref).unwrap_or_default();
        let endpoint = ENDPOINTS
            .into_iter()
            .filter_map(|name| env::var(name).ok())
            .find(|url| !url.is_empty())
            .or_else(|| environment.endpoint_url().map(str::to_owned))
            .map_or_else(|| format!("DynamoDB in {region}"), |url| without_user(&url));
        let tables = TableNames {
            operations: args.operations_table.clone(),
            decisions: args.decisions_table.clone(),
            outbox: args.outbox_table.clone(),
        };
        Ok(Self::to(
            Builder::from(&environment),
            tables,
            endpoint,
            Duration::ZERO,
        ))
    }

    /// With credentials that are none: those of AWS are never sent to a local stack.
    async fn of_stack(url: &str) -> Result<Self, OperatorError> {
        let found = local_stack::ask(url).await?;
        let environment = decide_once_aws::of_profiles(|loader| {
            loader
                .region(Region::new(found.region))
                .endpoint_url(found.endpoint.clone())
                .credentials_provider(Credentials::new(
                    "local",
                    "local",
                    None,
                    None,
                    "local stack",
                ))
        })
        .await?;
        // Set on the client itself, whose own variable (the first of ENDPOINTS) would win otherwise.
        let config = Builder::from(&environment).endpoint_url(found.endpoint.clone());
        Ok(Self::to(
            config,
            found.tables,
            without_user(&found.endpoint),
            found.ahead,
        ))
    }

    fn to(config: Builder, tables: TableNames, endpoint: String, ahead: Duration) -> Self {
        let client = Client::from_conf(client::limited(config).build());
        Self {
            store: DynamoStore::new(client, tables.clone()),
            tables,
            endpoint,
            ahead,
        }
    }

    /// Now, by the clock of those who write there: what ages are counted to.
    pub(super) fn now(&self) -> Timestamp {
        SystemClock.now().plus(self.ahead)
    }

    /// The table of events.
    pub(super) fn outbox(&self) -> Table<'_> {
        self.table(&self.tables.outbox, "OUTBOX_TABLE or --outbox-table")
    }

    /// The table of operations.
    pub(super) fn operations(&self) -> Table<'_> {
        self.table(
            &self.tables.operations,
            "OPERATIONS_TABLE or --operations-table",
        )
    }

    /// The table of decisions.
    pub(super) fn decisions(&self) -> Table<'_> {
        self.table(
            &self.tables.decisions,
            "DECISIONS_TABLE or --decisions-table",
        )
    }

    fn table<'a>(&'a self, name: &'a str, variable: &'static str) -> Table<'a> {
        Table {
            name,
            variable,
            endpoint: &self.endpoint,
        }
    }
}

/// An endpoint for messages: without a password that it may have before its host, and without a query.
fn without_user(url: &str) -> String {
    let shown = url.parse::<Uri>().ok().and_then(|uri| {
        let authority = uri.authority()?.as_str();
        let host = authority.rsplit('@').next().unwrap_or_default();
        Some(format!("{}://{host}", uri.scheme_str()?))
    });
    shown.unwrap_or_else(|| "the endpoint".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_an_endpoint_is_not_shown() {
        let shown = without_user("https://user:pass@example.com:8000/x?y");
        assert_eq!(shown, "https://example.com:8000");
        assert_eq!(without_user("http://127.0.0.1:1"), "http://127.0.0.1:1");
        assert_eq!(without_user("no url"), "the endpoint");
    }
}
