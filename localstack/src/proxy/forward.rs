//! Carries calls to the engine and back, or not.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt, Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::State;
use super::answer;
use super::armed::IncomingCall;
use super::cut::Cut;
use super::fault::Fault;

/// Before what just failed is tried again.
const PAUSE: Duration = Duration::from_millis(50);

/// The engine behind the proxy.
#[derive(Debug)]
pub(super) struct Upstream {
    client: Client<HttpConnector, Full<Bytes>>,
    uri: Uri,
}

impl Upstream {
    pub(super) fn new(endpoint: &str) -> io::Result<Self> {
        let uri = format!("{}/", endpoint.trim_end_matches('/'))
            .parse::<Uri>()
            .ok()
            .filter(|uri| uri.authority().is_some())
            .ok_or_else(|| {
                io::Error::new(
                    io::ErrorKind::InvalidInput,
                    format!("`{endpoint}` is not an endpoint; give it as http://127.0.0.1:PORT"),
                )
            })?;
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Ok(Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            uri,
        })
    }

    async fn call(
        &self,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Full<Bytes>>, NoAnswer> {
        let mut request = Request::post(self.uri.clone())
            .body(Full::new(body))
            .map_err(|error| NoAnswer::Upstream(error.into()))?;
        *request.headers_mut() = headers;
        let response = self
            .client
            .request(request)
            .await
            .map_err(|error| NoAnswer::Upstream(error.into()))?;
        let (mut head, body) = response.into_parts();
        remove_connection_headers(&mut head.headers);
        let body = body
            .collect()
            .await
            .map_err(|error| NoAnswer::Upstream(error.into()))?;
        Ok(Response::from_parts(head, Full::new(body.to_bytes())))
    }
}

/// Why a caller's connection closes without an answer.
#[derive(Debug, thiserror::Error)]
enum NoAnswer {
    #[error("an armed fault took the answer")]
    Fault,
    #[error("the engine did not answer")]
    Upstream(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("the request did not arrive in full")]
    Request(#[source] hyper::Error),
}

/// Accepts connections until its task is aborted, while the door is open; they end with it.
pub(super) async fn accept(first: TcpListener, state: Arc<State>) {
    serve(first, &state).await;
    loop {
        state.door.is(true).await;
        match state.door.listen() {
            Ok(listener) => serve(listener, &state).await,
            Err(error) => {
                tracing::warn!(%error, "the store proxy could not open its port again");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

async fn serve(listener: TcpListener, state: &Arc<State>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve_connection(stream, Arc::clone(state)));
                }
                Err(error) => {
                    // Too many open files, most likely: it passes when connections close.
                    tracing::warn!(%error, "the store proxy could not accept a connection");
                    tokio::time::sleep(PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
            () = state.door.is(false) => return,
        }
    }
}

async fn serve_connection(stream: TcpStream, state: Arc<State>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| Box::pin(handle(Arc::clone(&state), request)));
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let served = poll_fn(|context| connection.poll_without_shutdown(context)).await;
    let stream = connection.into_parts().io.into_inner();
    if let Err(error) = served {
        tracing::debug!(%error, "a connection to the store proxy closed early");
        // A reset, as from a host that knows nothing of the connection any more.
        let _ = stream.set_zero_linger();
    }
}

/// One call. An `Err` closes the connection without an answer.
async fn handle(
    state: Arc<State>,
    request: Request<Incoming>,
) -> Result<Response<Either<Full<Bytes>, Cut>>, NoAnswer> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(NoAnswer::Request)?.to_bytes();
    let mut headers = head.headers;
    let operation = operation(&headers).to_owned();
    remove_connection_headers(&mut headers);
    headers.remove(header::HOST);

    let arrival = state.counts.arrived(&operation, body.len());
    let fault = state.armed.take(&IncomingCall {
        operation: &operation,
        body: &body,
    });
    let is_cut = fault == Some(Fault::ReplyCut);
    let response = match fault {
        None => state.upstream.call(headers, body).await?,
        Some(fault) => {
            tracing::info!(
                operation,
                ?fault,
                "an armed fault takes a call to the store"
            );
            suffer(fault, &state, &operation, headers, body).await?
        }
    };
    if is_cut {
        let (head, body) = response.into_parts();
        let whole = body.collect().await.unwrap_or_else(|never| match never {});
        let cut = Either::Right(Cut::of(whole.to_bytes()));
        return Ok(Response::from_parts(head, cut));
    }
    state.counts.answered(arrival, response.status().as_u16());
    Ok(response.map(Either::Left))
}

async fn suffer(
    fault: Fault,
    state: &Arc<State>,
    operation: &str,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response<Full<Bytes>>, NoAnswer> {
    const REFUSED: StatusCode = StatusCode::BAD_REQUEST;
    const BROKEN: StatusCode = StatusCode::INTERNAL_SERVER_ERROR;
    Ok(match fault {
        Fault::Conflict => answer::conflict(operation, &body),
        Fault::Throttle => answer::error(
            REFUSED,
            "ProvisionedThroughputExceededException",
            "The level of configured provisioned throughput for the table was exceeded",
        ),
        Fault::Unavailable => internal_error(BROKEN),
        Fault::Overloaded => answer::error(
            StatusCode::SERVICE_UNAVAILABLE,
            "ServiceUnavailable",
            "DynamoDB is currently unavailable",
        ),
        Fault::UnavailableAfter => {
            state.upstream.call(headers, body).await?;
            internal_error(BROKEN)
        }
        Fault::ReplyLost => {
            state.upstream.call(headers, body).await?;
            return Err(NoAnswer::Fault);
        }
        // Whoever carries it back cuts it.
        Fault::ReplyCut => state.upstream.call(headers, body).await?,
        Fault::AnswersLate(by) => {
            let answer = state.upstream.call(headers, body).await?;
            tokio::time::sleep(by).await;
            answer
        }
        Fault::RequestLost => return Err(NoAnswer::Fault),
        Fault::ArrivesLate(after) => {
            let state = Arc::clone(state);
            // On its own: the sender's connection is closed long before.
            tokio::spawn(async move {
                tokio::time::sleep(after).await;
                if let Err(error) = state.upstream.call(headers, body).await {
                    tracing::debug!(%error, "a late call found no engine");
                }
            });
            return Err(NoAnswer::Fault);
        }
        Fault::Delay(by) => {
            tokio::time::sleep(by).await;
            state.upstream.call(headers, body).await?
        }
        Fault::InProgress => answer::error(
            REFUSED,
            "TransactionInProgressException",
            "The transaction with the given request token is already in progress",
        ),
        Fault::ReasonsMissing => answer::cancelled_without_reasons(),
        Fault::ReasonsShort => answer::cancelled_with_a_reason_too_few(&body),
        Fault::UnknownReason => answer::cancelled_for_an_unknown_reason(&body),
        Fault::Cancelled(codes) => answer::cancelled(&codes),
        Fault::Trimmed => answer::error(
            REFUSED,
            "TrimmedDataAccessException",
            "The operation attempted to read past the oldest stream record in a shard",
        ),
        Fault::IteratorExpired => answer::error(
            REFUSED,
            "ExpiredIteratorException",
            "The shard iterator has expired",
        ),
    })
}

fn internal_error(status: StatusCode) -> Response<Full<Bytes>> {
    answer::error(status, "InternalServerError", "Internal server error")
}

/// `PutItem` of `DynamoDB_20120810.PutItem`.
fn operation(headers: &HeaderMap) -> &str {
    headers
        .get("x-amz-target")
        .and_then(|target| target.to_str().ok())
        .and_then(|target| target.rsplit('.').next())
        .unwrap_or("unknown")
}

/// They concern one connection only (RFC 9110, section 7.6.1).
fn remove_connection_headers(headers: &mut HeaderMap) {
    for name in [
        header::CONNECTION,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
    ] {
        headers.remove(name);
    }
    headers.remove("keep-alive");
}
