//! From a reply to HTTP: design.md §2, the table.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use decide_once_protocol::answer::Rendered;
use decide_once_protocol::ids::DecisionId;
use decide_once_service::problem::{Kind, Problem};
use decide_once_service::profile::Profile;
use decide_once_service::reply::Reply;
use decide_once_service::status::Status;
use lambda_http::http::response::Builder;
use lambda_http::{Body, Error, Response};

use crate::openapi;

/// The answer to a `POST /v1/decisions`.
pub(crate) fn reply(reply: Reply, profile: Profile) -> Result<Response<Body>, Error> {
    match reply {
        Reply::Decided {
            decision,
            body,
            replayed,
        } => decided(&decision, body, replayed, profile),
        Reply::InProgress {
            status,
            retry_after,
            accepted: false,
        } => in_progress(&status, retry_after, profile),
        Reply::InProgress {
            status,
            retry_after,
            accepted: true,
        } => accepted(&status, retry_after),
        Reply::Problem(reason) => problem(&reason, profile),
    }
}

fn decided(
    decision: &DecisionId,
    body: Rendered,
    replayed: bool,
    profile: Profile,
) -> Result<Response<Body>, Error> {
    let builder = if replayed {
        Response::builder()
            .status(profile.replay_status())
            .header("idempotent-original-status", "201")
    } else {
        Response::builder().status(201)
    };
    let builder = builder
        .header("location", format!("/v1/decisions/{decision}"))
        .header(
            "idempotent-replayed",
            if replayed { "true" } else { "false" },
        );
    json(builder, body)
}

/// A decision that is read by its id.
pub(crate) fn decision(body: Rendered) -> Result<Response<Body>, Error> {
    json(Response::builder().status(200), body)
}

/// JSON with its digest (RFC 9530), so that a client can verify that a replay has the same bytes. Every read is authorised anew, so
/// that no cache may answer in our place.
fn json(builder: Builder, body: Rendered) -> Result<Response<Body>, Error> {
    let digest = format!("sha-256=:{}:", STANDARD.encode(body.digest));
    let text = String::from_utf8(body.bytes)?;
    Ok(builder
        .header("content-type", "application/json")
        .header("content-digest", digest)
        .header("cache-control", "no-store")
        .body(Body::Text(text))?)
}

fn in_progress(
    status: &Status,
    retry_after: Duration,
    profile: Profile,
) -> Result<Response<Body>, Error> {
    match profile {
        Profile::Default => no_store(pending(status, retry_after), status.to_json()),
        Profile::Ietf => {
            let detail = "another worker is deciding this operation; send the same request with the same key again";
            let conflict = Problem {
                retry_after: Some(retry_after),
                ..Problem::new(Kind::InProgress, detail).of(&status.operation)
            };
            Ok(problem_builder(&conflict, profile)
                .header("location", location(status))
                .body(Body::Text(conflict.to_json_under(profile)))?)
        }
    }
}

/// What its caller asked for, whatever the profile: the draft's 409 is for another request that is outstanding.
fn accepted(status: &Status, retry_after: Duration) -> Result<Response<Body>, Error> {
    let builder = pending(status, retry_after).header("preference-applied", "respond-async");
    no_store(builder, status.to_json())
}

fn pending(status: &Status, retry_after: Duration) -> Builder {
    Response::builder()
        .status(202)
        .header("location", location(status))
        .header("retry-after", seconds(retry_after))
}

fn location(status: &Status) -> String {
    format!("/v1/operations/{}", status.operation)
}

/// The status of an operation.
pub(crate) fn status(status: &Status) -> Result<Response<Body>, Error> {
    no_store(Response::builder().status(200), status.to_json())
}

/// Policies as they are packaged. Which one is active changes with a deployment, so that nobody keeps the answer.
pub(crate) fn policy(body: String) -> Result<Response<Body>, Error> {
    no_store(Response::builder().status(200), body)
}

/// The description of this API, for tools.
pub(crate) fn openapi() -> Result<Response<Body>, Error> {
    no_store(
        Response::builder().status(200),
        openapi::DOCUMENT.to_owned(),
    )
}

/// The function is alive. Says nothing of the store: a health check that fails with it would take the function away, too.
pub(crate) fn health() -> Result<Response<Body>, Error> {
    no_store(
        Response::builder().status(200),
        r#"{"status":"ok"}"#.to_owned(),
    )
}

fn no_store(builder: Builder, body: String) -> Result<Response<Body>, Error> {
    Ok(builder
        .header("content-type", "application/json")
        .header("cache-control", "no-store")
        .body(Body::Text(body))?)
}

/// Any problem.
pub(crate) fn problem(problem: &Problem, profile: Profile) -> Result<Response<Body>, Error> {
    Ok(problem_builder(problem, profile).body(Body::Text(problem.to_json_under(profile)))?)
}

/// 405 with the methods that there are.
pub(crate) fn not_allowed(
    problem: &Problem,
    methods: &str,
    profile: Profile,
) -> Result<Response<Body>, Error> {
    Ok(problem_builder(problem, profile)
        .header("allow", methods)
        .body(Body::Text(problem.to_json_under(profile)))?)
}

fn problem_builder(problem: &Problem, profile: Profile) -> Builder {
    let mut builder = Response::builder()
        .status(problem.kind.status(profile))
        .header("content-type", "application/problem+json")
        .header("cache-control", "no-store");
    if let Some(after) = problem.retry_after {
        builder = builder.header("retry-after", seconds(after));
    }
    if problem.kind == Kind::Unauthenticated {
        // RFC 9110 §15.5.2: a 401 names a scheme.
        builder = builder.header("www-authenticate", "Bearer");
    }
    if let Some(replayed) = problem.replayed {
        builder = builder.header(
            "idempotent-replayed",
            if replayed { "true" } else { "false" },
        );
    }
    builder
}

/// `Retry-After` has whole seconds (RFC 9110 §10.2.3), rounded up.
fn seconds(span: Duration) -> String {
    span.as_millis().div_ceil(1000).to_string()
}
