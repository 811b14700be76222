//! Reading policies: which versions are packaged here, and what each says. No store: a policy is a part of the deployment.

use std::path::Path;

use decide_once_policy::{Listed, LoadError, PolicySet, Unavailable};
use decide_once_protocol::hash::hex;
use decide_once_protocol::json::{Object, Value, object};
use decide_once_protocol::request::{PolicyId, PolicyVersion};

use crate::problem::{Kind, Problem};

/// What `POLICIES_DIR` wants to be.
pub const WANTED: &str = "the directory of the packaged policies";

/// The directory that `POLICIES_DIR` names is none of policies.
#[derive(Debug, thiserror::Error)]
#[error("the variable POLICIES_DIR cannot be used: {0}")]
pub struct Unpackaged(#[from] LoadError);

/// The policies that are packaged in the directory which `POLICIES_DIR` names. None is compiled yet.
///
/// # Errors
/// They cannot be read.
pub fn load(directory: &Path) -> Result<PolicySet, Unpackaged> {
    Ok(PolicySet::load(directory)?)
}

/// Every packaged version with its digest, and which of each policy is active. The body, as JSON.
#[must_use]
pub fn list(policies: &PolicySet) -> String {
    let versions: Vec<Object> = policies.list().map(|listed| head(&listed)).collect();
    object([("policies", Value::from(versions))]).to_json()
}

/// A version as it is written: schema, rules, events and examples, after what [`list`] says of it. The body, as JSON.
///
/// # Errors
/// The problem to answer: it is not packaged here, or its check refuses it.
pub fn version(
    policies: &PolicySet,
    id: &PolicyId,
    version: PolicyVersion,
) -> Result<String, Box<Problem>> {
    let listed = policies
        .list()
        .find(|listed| listed.id == id && listed.version == version)
        .ok_or_else(|| Box::new(not_found()))?;
    let document = policies.document(id, version).map_err(|why| match why {
        Unavailable::UnknownPolicy(_) | Unavailable::UnknownVersion(..) => Box::new(not_found()),
        Unavailable::Broken { .. } => {
            tracing::error!(alarm = "policy-broken", %why, "a packaged policy is refused by its check");
            let detail = "the policy version is packaged, and cannot be used at the moment";
            Box::new(Problem::new(Kind::Unavailable, detail))
        }
    })?;
    let mut body = head(&listed);
    for (name, value) in document.as_object().into_iter().flatten() {
        if !body.contains(name) {
            body.insert(name, value.clone());
        }
    }
    Ok(body.to_json())
}

/// The answer for a policy or a version of it that is not packaged here.
#[must_use]
pub fn not_found() -> Problem {
    let detail =
        "there is no such policy version here; GET /v1/policies lists those that there are";
    Problem::new(Kind::NotFound, detail)
}

/// `policy` and `version` are spelled as in the file; the digest is the one that decisions name.
fn head(listed: &Listed<'_>) -> Object {
    object([
        ("policy", Value::from(listed.id.as_str())),
        ("version", Value::from(listed.version.get())),
        ("active", Value::from(listed.active)),
        (
            "digest",
            Value::from(format!("sha256:{}", hex(&listed.digest()))),
        ),
    ])
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_version_that_is_packaged_and_broken_is_listed_and_not_called_unknown() {
        let (id, one) = (PolicyId::parse("p"), PolicyVersion::new(1));
        let (id, one) = (id.unwrap(), one.unwrap());
        let files = [(id.clone(), one, b"policy: p\nversion: 1\n".to_vec())];
        let policies = PolicySet::from_files(files, b"p: 1").unwrap();
        assert!(list(&policies).contains(r#""version":1,"active":true"#));
        let problem = version(&policies, &id, one).unwrap_err();
        assert_eq!(problem.kind, Kind::Unavailable);
        assert!(
            !problem.detail.contains("1.yaml"),
            "not the caller's business"
        );
        let two = PolicyVersion::new(2).unwrap();
        assert_eq!(
            version(&policies, &id, two).unwrap_err().kind,
            Kind::NotFound
        );
    }
}
