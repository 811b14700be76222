//! The tables' names.

use std::str::FromStr;

use decide_once_service::variables::{Arn, Malformed, VariableError, required};

/// The names under which the tables exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableNames {
    /// One record for each operation.
    pub operations: String,
    /// Committed decisions and natural-key claims.
    pub decisions: String,
    /// Events on their way out.
    pub outbox: String,
}

impl Default for TableNames {
    fn default() -> Self {
        Self {
            operations: "operations".to_owned(),
            decisions: "decisions".to_owned(),
            outbox: "outbox".to_owned(),
        }
    }
}

impl TableNames {
    /// `OPERATIONS_TABLE`, `DECISIONS_TABLE` and `OUTBOX_TABLE`.
    ///
    /// # Errors
    /// One of them is missing, or no name of a table.
    pub fn from_env() -> Result<Self, VariableError> {
        Ok(Self {
            operations: required::<TableName>("OPERATIONS_TABLE", TableName::WANTED)?.0,
            decisions: required::<TableName>("DECISIONS_TABLE", TableName::WANTED)?.0,
            outbox: required::<TableName>("OUTBOX_TABLE", TableName::WANTED)?.0,
        })
    }
}

/// A table's name, or its ARN
/// (<https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TableDescription.html>).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableName(pub String);

impl TableName {
    /// What it wants to be.
    pub const WANTED: &str = "the name of its table: 3 to 255 of A-Z a-z 0-9 . - _, or an ARN";
}

impl FromStr for TableName {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let is_named = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        let is_name = (3..=255).contains(&text.len()) && text.chars().all(is_named);
        if is_name || Arn::from_str(text).is_ok() {
            Ok(Self(text.to_owned()))
        } else {
            Err(Malformed)
        }
    }
}
