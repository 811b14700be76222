//! The HTTP front: what an API Gateway HTTP API with a JWT authorizer and one Lambda integration does to a request and to its answer
//! ([payload format 2.0](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html)).
//!
//! The path of a request is `gateway`; each step has a file: `host`, `limits`, `authorizer`, `headers`, `event`, `answer`.

mod answer;
mod authorizer;
mod event;
mod gateway;
mod headers;
mod host;
mod last_request;
mod limits;
mod refusal;
mod server;

#[cfg(test)]
mod tests;

pub use authorizer::Auth;
pub use last_request::LastRequest;

pub(crate) use gateway::Gateway;
pub(crate) use last_request::Meter;
pub(crate) use server::router;
