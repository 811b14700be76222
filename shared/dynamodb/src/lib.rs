//! The DynamoDB adapter of the store ports.
//!
//! It reports facts and draws no conclusions. Read in this order:
//!
//! 1. [`items`]: how records, decisions, events and claims lie in their tables, and the strict way back;
//! 2. [`expressions`]: the requests, each condition beside the rule of the protocol that it implements;
//! 3. [`outcome`]: what an answer of DynamoDB says, three-valued, in one table;
//! 4. [`DynamoStore`]: one request for each method of the ports;
//! 5. [`DynamoInbox`] for consumers: marks, and effects in one transaction with them;
//! 6. [`client`]: the SDK client with its limits, in one region only ([`ClientError`]).

pub mod client;
pub mod expressions;
pub mod items;
pub mod outcome;

mod check;
mod home;
mod inbox;
mod mismatches;
mod ordered;
mod outbox;
mod queue;
mod store;
mod tables;

pub use check::MissingTable;
pub use client::client_from_env;
/// What [`client_from_env`] gives.
pub use decide_once_aws::Ahead;
pub use home::ClientError;
pub use inbox::{DynamoInbox, MOST_ITEMS};
pub use store::DynamoStore;
pub use tables::{TableName, TableNames};

/// The code in `docs/consumers.md` compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/consumers.md")]
struct Consumers;
