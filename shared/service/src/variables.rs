//! A function's variables: read once, at its start, before it takes anything. An error names the one that is missing or wrong, and says what to
//! set it to; docs/variables.md has them all.

use std::env;
use std::str::FromStr;
use std::time::Duration;

/// What a count wants to be.
pub const NUMBER: &str = "a whole number";

/// A variable is missing or wrong. The value is never told: it may be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VariableError {
    /// It is needed.
    #[error("the variable {name} is not set; set it to {wanted}")]
    Missing {
        /// Its name.
        name: &'static str,
        /// What it should be: `the name of a table`.
        wanted: &'static str,
    },
    /// It is needed, and something else than what is wanted.
    #[error("the variable {name} cannot be used; set it to {wanted}")]
    Wrong {
        /// Its name.
        name: &'static str,
        /// What it should be.
        wanted: &'static str,
    },
    /// It is set to something else than what is wanted.
    #[error("the variable {name} is not {wanted}; leave it out for its default")]
    Unusable {
        /// Its name.
        name: &'static str,
        /// What it should be: `a number of milliseconds`.
        wanted: &'static str,
    },
}

/// A variable that must be set, and not to nothing, and then is a `T`.
///
/// # Errors
/// It is not.
pub fn required<T: FromStr>(name: &'static str, wanted: &'static str) -> Result<T, VariableError> {
    let text = env::var(name).ok().filter(|value| !value.is_empty());
    let text = text.ok_or(VariableError::Missing { name, wanted })?;
    text.parse()
        .map_err(|_| VariableError::Wrong { name, wanted })
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
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => Err(VariableError::Unusable { name, wanted }),
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

/// A text that is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// An absolute http or https URL, as far as a beginning tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url(pub String);

impl Url {
    /// What it wants to be.
    pub const WANTED: &str = "an absolute http or https URL";
}

impl FromStr for Url {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let rest = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
            .ok_or(Malformed)?;
        let is_plain = |c: char| !c.is_whitespace() && !c.is_control();
        if rest.is_empty() || rest.starts_with('/') || !rest.chars().all(is_plain) {
            return Err(Malformed);
        }
        Ok(Self(text.to_owned()))
    }
}

/// A resource's name at AWS: `arn:partition:service:region:account:resource`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arn(pub String);

impl Arn {
    /// What it wants to be.
    pub const WANTED: &str = "an ARN";
}

impl FromStr for Arn {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let parts: Vec<_> = text.splitn(6, ':').collect();
        match parts[..] {
            ["arn", partition, service, _, _, resource]
                if !partition.is_empty() && !service.is_empty() && !resource.is_empty() =>
            {
                Ok(Self(text.to_owned()))
            }
            _ => Err(Malformed),
        }
    }
}
