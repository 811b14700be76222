//! Who calls: from the authorizer's claims in the request context, never from a client's header or body.

use decide_once_protocol::scope::Tenant;
use decide_once_service::problem::{Kind, Problem};
use lambda_http::request::RequestContext;
use lambda_http::{Request, RequestExt as _};

/// The tenant that the authorizer vouches for.
///
/// # Errors
/// There is no authorizer, no such claim, or the claim is empty: 401.
pub(crate) fn tenant(request: &Request, claim: &str) -> Result<Tenant, Box<Problem>> {
    let context = request.request_context_ref();
    let vouched = match context {
        Some(RequestContext::ApiGatewayV2(context)) => context
            .authorizer
            .as_ref()
            .and_then(|authorizer| authorizer.jwt.as_ref())
            .and_then(|jwt| jwt.claims.get(claim)),
        Some(_) | None => None,
    };
    vouched
        .and_then(|tenant| Tenant::parse(tenant).ok())
        .ok_or_else(|| {
            let detail = format!(
                "no authorizer named a tenant in the claim `{claim}`; call with a valid token"
            );
            Box::new(Problem::new(Kind::Unauthenticated, detail))
        })
}
