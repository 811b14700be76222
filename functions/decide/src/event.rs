//! What an event may contain that `lambda_http` does not survive.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lambda_http::request::LambdaRequest;

/// Takes out a body that says it is base64 and is not: `lambda_http` panics on it. What is left is an empty body, which is
/// refused as any other that is not JSON.
pub(crate) fn make_readable(event: &mut LambdaRequest) {
    if let LambdaRequest::ApiGatewayV2(request) = event
        && request.is_base64_encoded
        && request
            .body
            .as_ref()
            .is_some_and(|body| STANDARD.decode(body).is_err())
    {
        request.body = None;
    }
}
