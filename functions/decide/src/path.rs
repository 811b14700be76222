//! The resources, and the methods that each has.

use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::request::{PolicyId, PolicyVersion};
use decide_once_protocol::scope::OperationId;
use lambda_http::http::Method;

/// A path that means something here.
#[derive(Debug)]
pub(crate) enum Resource {
    /// `/v1/decisions`
    Decisions,
    /// `/v1/decisions/{id}`; `None` for what cannot be an id, and so is unknown.
    Decision(Option<DecisionId>),
    /// `/v1/operations/{id}`
    Operation(Option<OperationId>),
    /// `/v1/policies`
    Policies,
    /// `/v1/policies/{id}/{version}`
    Policy(Option<(PolicyId, PolicyVersion)>),
    /// `/openapi.json`
    OpenApi,
    /// `/health`
    Health,
}

impl Resource {
    /// Reads a path, exactly as it was sent: a trailing slash or an escape makes it another one.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        match path {
            "/v1/decisions" => Some(Self::Decisions),
            "/v1/policies" => Some(Self::Policies),
            "/openapi.json" => Some(Self::OpenApi),
            "/health" => Some(Self::Health),
            _ => {
                if let Some(id) = segment(path, "/v1/decisions/") {
                    Some(Self::Decision(DecisionId::parse(id)))
                } else if let Some(id) = segment(path, "/v1/operations/") {
                    Some(Self::Operation(OperationId::parse(id).ok()))
                } else {
                    let (id, version) = path.strip_prefix("/v1/policies/")?.split_once('/')?;
                    let version = segment(version, "")?;
                    (!id.is_empty()).then(|| Self::Policy(policy(id, version)))
                }
            }
        }
    }

    /// The path as the API's description has it: the same for every id.
    pub(crate) const fn template(&self) -> &'static str {
        match self {
            Self::Decisions => "/v1/decisions",
            Self::Decision(_) => "/v1/decisions/{decisionId}",
            Self::Operation(_) => "/v1/operations/{operationId}",
            Self::Policies => "/v1/policies",
            Self::Policy(_) => "/v1/policies/{policyId}/{version}",
            Self::OpenApi => "/openapi.json",
            Self::Health => "/health",
        }
    }

    /// The methods, as `Allow` lists them. What can be read has `HEAD` as well (RFC 9110 §9.1): it is answered as `GET`, and the gateway, which
    /// does the HTTP, sends the length of the body in place of the body.
    pub(crate) const fn methods(&self) -> &'static str {
        match self {
            Self::Decisions => "POST",
            Self::Decision(_)
            | Self::Operation(_)
            | Self::Policies
            | Self::Policy(_)
            | Self::OpenApi
            | Self::Health => "GET, HEAD",
        }
    }

    /// Whether it has this one.
    pub(crate) fn has(&self, method: &Method) -> bool {
        self.methods()
            .split(", ")
            .any(|known| known == method.as_str())
    }
}

fn segment<'a>(path: &'a str, prefix: &str) -> Option<&'a str> {
    path.strip_prefix(prefix)
        .filter(|rest| !rest.is_empty() && !rest.contains('/'))
}

/// Only the spelling that is also the file's: `3`, not `03` or `+3`.
fn policy(id: &str, version: &str) -> Option<(PolicyId, PolicyVersion)> {
    let number = PolicyVersion::new(version.parse().ok()?).ok()?;
    let id = PolicyId::parse(id).ok()?;
    (number.to_string() == version).then_some((id, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailing_slash_or_a_longer_path_is_another_resource() {
        assert!(Resource::parse("/v1/decisions").is_some());
        for path in [
            "/v1/decisions/",
            "/v1/decisions/a/b",
            "/v1",
            "/",
            "/V1/decisions",
            "//v1/decisions",
            "/v1/policies/",
            "/v1/policies/a",
            "/v1/policies/a/",
            "/v1/policies//1",
            "/v1/policies/a/1/",
        ] {
            assert!(Resource::parse(path).is_none(), "{path}");
        }
    }

    #[test]
    fn a_policy_version_has_one_spelling() {
        let named = |path: &str| matches!(Resource::parse(path), Some(Resource::Policy(Some(_))));
        assert!(named("/v1/policies/credit-limit/3"));
        for unknown in [
            "credit-limit/03",
            "credit-limit/+3",
            "credit-limit/0",
            "a%2Fb/1",
            "A/1",
        ] {
            assert!(!named(&format!("/v1/policies/{unknown}")), "{unknown}");
        }
    }
}
