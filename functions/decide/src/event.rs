//! What an event may contain that `lambda_http` does not survive.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lambda_http::aws_lambda_events::apigw::ApiGatewayV2httpRequest;
use lambda_http::http::header::HOST;
use lambda_http::http::uri::PathAndQuery;
use lambda_http::request::LambdaRequest;

/// Takes out what `lambda_http` panics on. The caller would get a 502 that says nothing, where a problem says what is wrong.
pub(crate) fn make_readable(event: &mut LambdaRequest) {
    if let LambdaRequest::ApiGatewayV2(request) = event {
        readable_body(request);
        readable_url(request);
    }
}

/// A body that says it is base64 and is not. What is left is an empty body, which is refused as any other that is not JSON.
fn readable_body(request: &mut ApiGatewayV2httpRequest) {
    let undecodable = |body: &String| STANDARD.decode(body).is_err();
    if request.is_base64_encoded && request.body.as_ref().is_some_and(undecodable) {
        request.body = None;
    }
}

/// A URL is made of host, scheme, path and query. Nobody reads its host and scheme; without a host none of them is looked at.
/// A query that no URL can have stays one, to be refused as any other.
fn readable_url(request: &mut ApiGatewayV2httpRequest) {
    request.headers.remove(HOST);
    request.request_context.domain_name = None;
    if let Some(query) = &mut request.raw_query_string
        && PathAndQuery::try_from(format!("/?{query}")).is_err()
    {
        "unreadable".clone_into(query);
    }
}
