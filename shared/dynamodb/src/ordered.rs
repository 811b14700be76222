//! One order for the members of a transaction's body, so that a commit that is sent again is the same request, byte for byte.
//!
//! The SDK keeps items in hash maps and writes them in an order of the moment. DynamoDB does not mind, but DynamoDB Local, and
//! with it LocalStack, compares a repeated `ClientRequestToken`'s request as text and answers
//! `IdempotentParameterMismatchException` now and then (aws/aws-sdk#413, localstack/localstack#6529).

use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::BeforeTransmitInterceptorContextMut;
use aws_smithy_runtime_api::client::interceptors::dyn_dispatch_hint;
use aws_smithy_types::body::SdkBody;
use serde_json::Value;

/// Sorts the members of a request's JSON body, once, before the first attempt.
#[derive(Debug)]
pub(crate) struct Ordered;

#[dyn_dispatch_hint]
impl Intercept for Ordered {
    fn name(&self) -> &'static str {
        "Ordered"
    }

    fn modify_before_retry_loop(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let request = context.request_mut();
        let Some(body) = request.body().bytes() else {
            return Ok(());
        };
        let mut body: Value = serde_json::from_slice(body)?;
        body.sort_all_objects();
        let body = serde_json::to_vec(&body)?;
        request
            .headers_mut()
            .insert("content-length", body.len().to_string());
        *request.body_mut() = SdkBody::from(body);
        Ok(())
    }
}
