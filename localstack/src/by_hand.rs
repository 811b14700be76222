//! A function process that somebody has started by hand: are its tables there?
//!
//! A stack makes the tables before it starts a function, and counts every call to them. Deployed functions do without the look: it is a round trip
//! for each table, and a permission that nothing else needs.

use std::env;

use decide_once_dynamodb::{DynamoStore, MissingTable, TableNames, client_from_env};

/// Set for the processes that a stack starts.
pub(crate) const STACK: &str = "DECIDE_ONCE_LOCAL_STACK";

/// The variables that name a function's tables; each function has those that it needs.
const TABLES: [&str; 5] = [
    "OPERATIONS_TABLE",
    "DECISIONS_TABLE",
    "OUTBOX_TABLE",
    "INBOX_TABLE",
    "BALANCES_TABLE",
];

/// Asks for the tables, unless a stack has started this process.
///
/// # Errors
/// One that is named does not exist. A variable that is missing is the function's own to name.
pub(crate) async fn check_tables() -> Result<(), MissingTable> {
    if env::var_os(STACK).is_some() {
        return Ok(());
    }
    let Ok(client) = client_from_env().await else {
        return Ok(());
    };
    let named: Vec<String> = TABLES
        .iter()
        .filter_map(|name| env::var(name).ok())
        .collect();
    let tables: Vec<&str> = named
        .iter()
        .map(String::as_str)
        .filter(|table| !table.is_empty())
        .collect();
    DynamoStore::new(client, TableNames::default())
        .check_tables(&tables)
        .await
}
