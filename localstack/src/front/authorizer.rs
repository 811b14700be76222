//! The authorizer: bearer tokens to claims, as a JWT authorizer passes them on.
//!
//! The tokens are for this machine only; a deployed API has its own issuer. Claims are strings, all of them: API Gateway passes them so,
//! and `aws_lambda_events` cannot read an event with another type among them.

use http::{HeaderMap, Method, header::AUTHORIZATION, request::Parts};
use serde::Serialize;

use super::refusal::Refusal;

/// Whether callers without a token are let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Auth {
    /// Without a token a caller is the tenant `local`.
    Optional,
    /// Without a token: 401, as behind a deployed authorizer.
    Required,
}

/// Who the caller is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    subject: &'static str,
    tenant: &'static str,
    scope: &'static str,
}

/// `requestContext.authorizer` of an event.
#[derive(Debug, Serialize)]
pub(super) struct AuthorizerContext {
    jwt: Jwt,
}

#[derive(Debug, Serialize)]
struct Jwt {
    claims: Claims,
    scopes: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct Claims {
    iss: &'static str,
    sub: &'static str,
    tenant: &'static str,
    scope: &'static str,
}

const READ_AND_WRITE: &str = "decisions:write decisions:read";

const NO_TOKEN: Identity = Identity {
    subject: "local",
    tenant: "local",
    scope: READ_AND_WRITE,
};

/// The tokens and whom they stand for. The last one shows what a caller without the scope to write gets.
const TOKENS: [(&str, Identity); 3] = [
    (
        "tok-alpha",
        Identity {
            subject: "alpha",
            tenant: "t-alpha",
            scope: READ_AND_WRITE,
        },
    ),
    (
        "tok-beta",
        Identity {
            subject: "beta",
            tenant: "t-beta",
            scope: READ_AND_WRITE,
        },
    ),
    (
        "tok-alpha-read",
        Identity {
            subject: "alpha-reader",
            tenant: "t-alpha",
            scope: "decisions:read",
        },
    ),
];

/// The paths whose `GET` has a route without an authorizer, as in `template.yaml`: who looks whether the service lives, or what it is, needs no
/// token, and one that is sent is not looked at.
const OPEN: [&str; 2] = ["/health", "/openapi.json"];

/// The caller of a request; none where its route asks for none.
///
/// # Errors
/// The caller is not known.
pub(super) fn identify(auth: Auth, request: &Parts) -> Result<Option<Identity>, Refusal> {
    if request.method == Method::GET && OPEN.contains(&request.uri.path()) {
        return Ok(None);
    }
    auth.identify(&request.headers).map(Some)
}

impl Auth {
    fn identify(self, headers: &HeaderMap) -> Result<Identity, Refusal> {
        let mut lines = headers.get_all(AUTHORIZATION).iter();
        let line = match (lines.next(), lines.next()) {
            (None, _) if self == Self::Optional => return Ok(NO_TOKEN),
            (Some(line), None) => line,
            _ => return Err(Refusal::Unauthorized),
        };
        let (scheme, token) = line
            .to_str()
            .ok()
            .and_then(|line| line.split_once(' '))
            .ok_or(Refusal::Unauthorized)?;
        TOKENS
            .iter()
            .find(|(known, _)| scheme.eq_ignore_ascii_case("bearer") && *known == token.trim())
            .map(|(_, identity)| *identity)
            .ok_or(Refusal::Unauthorized)
    }
}

impl Identity {
    pub(super) fn context(self) -> AuthorizerContext {
        AuthorizerContext {
            jwt: Jwt {
                claims: Claims {
                    iss: "https://decide-once.local",
                    sub: self.subject,
                    tenant: self.tenant,
                    scope: self.scope,
                },
                scopes: self.scope.split(' ').collect(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn tenant(auth: Auth, lines: &[&str]) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(AUTHORIZATION, line.parse().unwrap());
        }
        auth.identify(&headers).ok().map(|identity| identity.tenant)
    }

    #[test]
    fn known_tokens_stand_for_their_tenants() {
        assert_eq!(
            tenant(Auth::Required, &["Bearer tok-alpha"]),
            Some("t-alpha")
        );
        assert_eq!(tenant(Auth::Optional, &["bearer tok-beta"]), Some("t-beta"));
    }

    #[test]
    fn no_token_is_the_local_tenant_unless_one_is_required() {
        assert_eq!(tenant(Auth::Optional, &[]), Some("local"));
        assert_eq!(tenant(Auth::Required, &[]), None);
    }

    #[test]
    fn a_token_that_is_not_known_is_never_the_local_tenant() {
        for line in [
            "Bearer tok-gamma",
            "Bearer ",
            "Bearer",
            "",
            "Basic tok-alpha",
            "tok-alpha",
        ] {
            assert_eq!(tenant(Auth::Optional, &[line]), None, "{line}");
        }
        assert_eq!(
            tenant(Auth::Optional, &["Bearer tok-alpha", "Bearer tok-beta"]),
            None
        );
    }
}
