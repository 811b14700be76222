//! The decide function: POST /v1/decisions behind API Gateway.

use lambda_http::{Body, Error, Request, Response, service_fn};

/// Runs the function until its process ends.
///
/// # Errors
/// The Runtime API is gone.
pub async fn run() -> Result<(), Error> {
    lambda_http::run(service_fn(not_yet)).await
}

async fn not_yet(_: Request) -> Result<Response<Body>, Error> {
    Ok(Response::builder().status(501).body(Body::Empty)?)
}
