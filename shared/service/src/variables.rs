//! A function's variables: read once, at its start, with an error that names the one that is missing or wrong.

use std::env;
use std::str::FromStr;
use std::time::Duration;

/// What a count wants to be.
pub const NUMBER: &str = "a whole number";

/// A variable is missing or wrong. The value is never told: it may be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VariableError {
    /// It is needed.
    #[error("the variable {0} is not set")]
    Missing(&'static str),
    /// It is set to something else than what is wanted.
    #[error("the variable {name} is not {wanted}; leave it out for its default")]
    Unusable {
        /// Its name.
        name: &'static str,
        /// What it should be: `a number of milliseconds`.
        wanted: &'static str,
    },
}

/// A variable that must be set, and not to nothing.
///
/// # Errors
/// It is not.
pub fn required(name: &'static str) -> Result<String, VariableError> {
    env::var(name)
        .ok()
        .filter(|value| !value.is_empty())
        .ok_or(VariableError::Missing(name))
}

/// A variable that may be set, and then is a `T`.
///
/// # Errors
/// It is something else.
pub fn optional<T: FromStr>(
    name: &'static str,
    wanted: &'static str,
) -> Result<Option<T>, VariableError> {
    match env::var(name) {
        Err(_) => Ok(None),
        Ok(text) => match text.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(VariableError::Unusable { name, wanted }),
        },
    }
}

/// A span in whole milliseconds, or its default.
///
/// # Errors
/// It is set to something else.
pub fn millis(name: &'static str, default: Duration) -> Result<Duration, VariableError> {
    let millis = optional(name, "a number of milliseconds")?;
    Ok(millis.map_or(default, Duration::from_millis))
}
