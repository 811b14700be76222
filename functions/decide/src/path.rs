//! The resources, and the methods that each has.

use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::scope::OperationId;

/// A path that means something here.
#[derive(Debug)]
pub(crate) enum Resource {
    /// `/v1/decisions`
    Decisions,
    /// `/v1/decisions/{id}`; `None` for what cannot be an id, and so is unknown.
    Decision(Option<DecisionId>),
    /// `/v1/operations/{id}`
    Operation(Option<OperationId>),
    /// `/health`
    Health,
}

impl Resource {
    /// Reads a path, exactly as it was sent: a trailing slash or an escape makes it another one.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        match path {
            "/v1/decisions" => Some(Self::Decisions),
            "/health" => Some(Self::Health),
            _ => {
                if let Some(id) = segment(path, "/v1/decisions/") {
                    Some(Self::Decision(DecisionId::parse(id)))
                } else {
                    segment(path, "/v1/operations/")
                        .map(|id| Self::Operation(OperationId::parse(id).ok()))
                }
            }
        }
    }

    /// The methods, as `Allow` lists them.
    pub(crate) const fn methods(&self) -> &'static str {
        match self {
            Self::Decisions => "POST",
            Self::Decision(_) | Self::Operation(_) | Self::Health => "GET",
        }
    }
}

fn segment<'a>(path: &'a str, prefix: &str) -> Option<&'a str> {
    path.strip_prefix(prefix)
        .filter(|rest| !rest.is_empty() && !rest.contains('/'))
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
        ] {
            assert!(Resource::parse(path).is_none(), "{path}");
        }
    }
}
