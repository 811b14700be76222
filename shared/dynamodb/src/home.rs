//! The one region whose tables are written.
//!
//! A condition is judged by the replica that it is sent to, so that a table which two regions write has two winners
//! (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/V2globaltables_HowItWorks.html>). Where a second region stands by, on a
//! replica or a restored copy, `HOME_REGION` says in both which of them it is; a function in the other one refuses to start.

use std::str::FromStr;

use decide_once_aws::EnvironmentError;
use decide_once_service::variables::{Malformed, VariableError, optional};

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The environment does not say how to reach DynamoDB.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// `HOME_REGION` is no region's name.
    #[error(transparent)]
    Variable(#[from] VariableError),
    /// The tables' home is another region.
    #[error(
        "HOME_REGION is {home} and this function runs in {here}: it takes nothing, since two regions that write would both decide; send requests to {home}, or make {here} the home of all regions once nothing writes in {home}"
    )]
    Elsewhere {
        /// The region whose tables are written.
        home: String,
        /// The region of this process.
        here: String,
    },
}

/// A region's name, as `eu-central-1`.
struct Region(String);

impl Region {
    const WANTED: &str = "the name of an AWS region, as eu-central-1";
}

impl FromStr for Region {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let is_part = |part: &str| {
            let known = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
            !part.is_empty() && part.bytes().all(known)
        };
        if text.contains('-') && text.split('-').all(is_part) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Malformed)
        }
    }
}

/// `HOME_REGION` is this region, or is not set.
///
/// # Errors
/// It is another one, or none.
pub(crate) fn at_home(here: &str) -> Result<(), ClientError> {
    match optional("HOME_REGION", Region::WANTED)? {
        Some(Region(home)) if home != here => Err(ClientError::Elsewhere {
            home,
            here: here.to_owned(),
        }),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_region_is_words_and_numbers_apart_by_hyphens() {
        for name in ["eu-central-1", "us-gov-west-1", "us-east-1"] {
            assert_eq!(Region::from_str(name).unwrap().0, name);
        }
        for name in [
            "",
            "Frankfurt",
            "eu",
            "eu-",
            "eu--1",
            "eu_central_1",
            "eu-central-1 ",
        ] {
            assert!(Region::from_str(name).is_err(), "{name}");
        }
    }
}
