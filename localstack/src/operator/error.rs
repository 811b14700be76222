//! Why an operator's command could not be carried out.

use std::io;

use decide_once_aws::EnvironmentError;
use decide_once_service::ports::StoreError;

/// Why an operator's command could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    /// The variables do not say how to reach AWS.
    #[error("{0}; or name a local stack with --local or --stack URL")]
    Environment(#[from] EnvironmentError),
    /// Nothing gives credentials.
    #[error(
        "no credentials for AWS: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; or name a local stack with --local or --stack URL"
    )]
    NoCredentials,
    /// What `--stack` names is not an address.
    #[error(
        "--stack must be an address as http://127.0.0.1:3000, which is what the stack prints when it is ready"
    )]
    StackUrl,
    /// Nobody answers there as a local stack does.
    #[error(
        "no local stack at {url} ({why}); start one with `decide-once serve`, or name another with --stack URL"
    )]
    NoStack {
        /// Where it was looked for.
        url: String,
        /// What came instead.
        why: String,
    },
    /// DynamoDB has no such table.
    #[error(
        "there is no table {table} at {endpoint}; correct {variable}, the region or the endpoint"
    )]
    NoTable {
        /// Its name.
        table: String,
        /// The variable and the flag that name it.
        variable: &'static str,
        /// Where it was looked for.
        endpoint: String,
    },
    /// DynamoDB does not answer.
    #[error(
        "{endpoint} did not answer ({why}); check the endpoint, the region and the network, and run it again"
    )]
    Unreachable {
        /// Who.
        endpoint: String,
        /// What came instead.
        why: String,
    },
    /// DynamoDB will not do it.
    #[error(
        "{endpoint} refused to work on the table {table} ({why}); check the credentials, their permissions and the table's indexes"
    )]
    Refused {
        /// Who.
        endpoint: String,
        /// On what.
        table: String,
        /// Its code.
        why: String,
    },
    /// A question that nobody is there to answer.
    #[error(
        "nothing was redriven: say --yes, since there is nobody to ask here, or --dry-run to see what it would do"
    )]
    NotConfirmed,
    /// Too many failures in a row.
    #[error(
        "gave up after {failures} failures in a row, with {left} events left; run it again: what is done stays done"
    )]
    GaveUp {
        /// How many.
        failures: u32,
        /// What was not tried.
        left: usize,
    },
    /// The output cannot be written.
    #[error("cannot write the output")]
    Output(#[from] io::Error),
}

impl OperatorError {
    /// Whether the command line, not the store, has to change.
    pub const fn is_usage(&self) -> bool {
        matches!(self, Self::NotConfirmed | Self::StackUrl)
    }

    /// Whether whoever read the output has stopped reading, as `head` does: that is nobody's error.
    pub fn is_closed_output(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// What a table is called, and where one says so.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'a> {
    pub(super) name: &'a str,
    pub(super) variable: &'static str,
    pub(super) endpoint: &'a str,
}

impl Table<'_> {
    /// What the store said, in terms of this table.
    pub(super) fn failed(self, error: StoreError) -> OperatorError {
        let endpoint = self.endpoint.to_owned();
        match error {
            StoreError::Rejected(code) if code == "ResourceNotFoundException" => {
                OperatorError::NoTable {
                    table: self.name.to_owned(),
                    variable: self.variable,
                    endpoint,
                }
            }
            StoreError::Rejected(why) => OperatorError::Refused {
                endpoint,
                table: self.name.to_owned(),
                why,
            },
            StoreError::Unavailable(why) => OperatorError::Unreachable { endpoint, why },
        }
    }
}
