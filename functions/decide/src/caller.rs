//! Who calls, and what for: from the authorizer's word in the request context, never from a client's header or body.
//!
//! | authorizer | tenant | scopes |
//! |---|---|---|
//! | JWT (HTTP API) | the claim `TENANT_CLAIM` | its scopes, else the claims `scope` or `scp` |
//! | Cognito (REST API) | the claim `TENANT_CLAIM` | the claims `scope` or `scp` |
//! | Lambda (both) | the context field `TENANT_CLAIM` | the context field `scope` |
//! | IAM (both, and function URLs) | with `TENANT_FROM=iam` only: the caller's ARN | none: the IAM policy has decided |

use std::env;
use std::str::FromStr;

use decide_once_protocol::scope::Tenant;
use decide_once_service::problem::{Kind, Problem};
use decide_once_service::variables::{Malformed, VariableError, optional};
use lambda_http::aws_lambda_events::apigw::ApiGatewayRequestAuthorizerJwtDescription;
use lambda_http::request::RequestContext;
use lambda_http::{Request, RequestExt as _};

/// How callers are known, and what they must be allowed.
#[derive(Clone, Debug)]
pub struct Authority {
    /// `TENANT_CLAIM`; `tenant` if unset.
    tenant_claim: String,
    /// `TENANT_FROM=iam`: the tenant is the IAM principal.
    from_iam: bool,
    /// `WRITE_SCOPE`; not asked for if unset.
    write_scope: Option<String>,
    /// `READ_SCOPE`; not asked for if unset.
    read_scope: Option<String>,
}

/// What a caller wants to do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Access {
    /// Have something decided.
    Write,
    /// Read what is recorded.
    Read,
}

/// `TENANT_FROM`. What is neither is not taken for the claim: a caller that signs with IAM would have no tenant.
enum Source {
    Claim,
    Iam,
}

impl FromStr for Source {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        match text {
            "claim" => Ok(Self::Claim),
            "iam" => Ok(Self::Iam),
            _ => Err(Malformed),
        }
    }
}

/// A caller that an authorizer vouches for.
struct Vouched {
    tenant: String,
    /// `None` where scopes are not the authorizer's way.
    scopes: Option<Vec<String>>,
}

impl Authority {
    /// As the function's variables say.
    ///
    /// # Errors
    /// `TENANT_FROM` is neither `claim` nor `iam`.
    pub fn from_env() -> Result<Self, VariableError> {
        let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
        let from: Option<Source> = optional("TENANT_FROM", "`claim` or `iam`")?;
        Ok(Self {
            tenant_claim: variable("TENANT_CLAIM").unwrap_or_else(|| "tenant".to_owned()),
            from_iam: matches!(from, Some(Source::Iam)),
            write_scope: variable("WRITE_SCOPE"),
            read_scope: variable("READ_SCOPE"),
        })
    }

    /// As deployed with `WRITE_SCOPE` and `READ_SCOPE`.
    #[cfg(test)]
    pub(crate) fn with_scopes() -> Self {
        Self {
            tenant_claim: "tenant".to_owned(),
            from_iam: false,
            write_scope: Some("decisions:write".to_owned()),
            read_scope: Some("decisions:read".to_owned()),
        }
    }

    /// As deployed with `TENANT_FROM=iam`.
    #[cfg(test)]
    pub(crate) fn by_iam() -> Self {
        Self {
            from_iam: true,
            ..Self::with_scopes()
        }
    }

    /// The tenant, if the caller is known and may do what it wants.
    ///
    /// # Errors
    /// 401: no authorizer names a tenant. 403: a scope is missing.
    pub(crate) fn admit(&self, request: &Request, access: Access) -> Result<Tenant, Box<Problem>> {
        let vouched = request
            .request_context_ref()
            .and_then(|context| self.vouched(context));
        let Some(vouched) = vouched else {
            return Err(unknown());
        };
        let tenant = Tenant::parse(&vouched.tenant).map_err(|_| unknown())?;
        match (self.scope(access), vouched.scopes) {
            (Some(needed), Some(scopes)) if !scopes.iter().any(|scope| scope == needed) => {
                Err(forbidden(needed))
            }
            (Some(_) | None, _) => Ok(tenant),
        }
    }

    fn scope(&self, access: Access) -> Option<&str> {
        match access {
            Access::Write => self.write_scope.as_deref(),
            Access::Read => self.read_scope.as_deref(),
        }
    }

    fn vouched(&self, context: &RequestContext) -> Option<Vouched> {
        if self.from_iam {
            return Some(Vouched {
                tenant: principal(context)?,
                scopes: None,
            });
        }
        let authorizer = context.authorizer()?;
        if let Some(jwt) = &authorizer.jwt {
            let tenant = jwt.claims.get(&self.tenant_claim)?.clone();
            return Some(Vouched {
                tenant,
                scopes: Some(scopes(jwt)),
            });
        }
        // A REST API has Cognito's claims in a field of their own, a Lambda authorizer's fields beside each other.
        let claims = authorizer.fields.get("claims");
        let field = |name: &str| match claims {
            Some(claims) => claims.get(name)?.as_str(),
            None => authorizer.fields.get(name)?.as_str(),
        };
        let tenant = field(&self.tenant_claim)?.to_owned();
        let scopes = field("scope").or_else(|| field("scp"));
        Some(Vouched {
            tenant,
            scopes: Some(words(scopes.unwrap_or_default())),
        })
    }
}

/// The ARN of who signed the request.
fn principal(context: &RequestContext) -> Option<String> {
    match context {
        RequestContext::ApiGatewayV1(context) => context.identity.user_arn.clone(),
        _ => context.authorizer()?.iam.as_ref()?.user_arn.clone(),
    }
}

fn scopes(jwt: &ApiGatewayRequestAuthorizerJwtDescription) -> Vec<String> {
    if let Some(scopes) = &jwt.scopes {
        return scopes.clone();
    }
    let claim = jwt.claims.get("scope").or_else(|| jwt.claims.get("scp"));
    claim.map_or_else(Vec::new, |scopes| words(scopes))
}

/// A list of scopes as one text (RFC 6749 §3.3).
fn words(text: &str) -> Vec<String> {
    text.split_ascii_whitespace().map(str::to_owned).collect()
}

fn unknown() -> Box<Problem> {
    let detail = "no authorizer named a tenant for this call; call with a valid token";
    Box::new(Problem::new(Kind::Unauthenticated, detail))
}

fn forbidden(scope: &str) -> Box<Problem> {
    let detail = format!("the token lacks the scope `{scope}`; ask for a token that has it");
    Box::new(Problem::new(Kind::Forbidden, detail))
}
