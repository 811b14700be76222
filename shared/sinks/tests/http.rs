//! The HTTP sink against a real receiver.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::{ConnectInfo, State},
    http::{HeaderMap, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use decide_once_protocol::trace::TraceParent;
use decide_once_service::ports::{SendError, Sink};
use decide_once_sinks::HttpSink;
use decide_once_tests::{
    fixtures::{ManualClock, START},
    samples,
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

/// Longer than anything takes that is not meant to take for ever.
const PATIENCE: Duration = Duration::from_secs(20);

/// A receiver that answers each request in the same way and remembers what it got.
#[derive(Clone)]
struct Receiver {
    url: String,
    answers: Answers,
    got: Arc<Mutex<Vec<Got>>>,
}

#[derive(Clone)]
enum Answers {
    With(StatusCode),
    RedirectTo(String),
    Never,
}

#[derive(Debug, PartialEq)]
struct Got {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
    peer_port: u16,
}

impl Receiver {
    async fn start(answers: Answers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let receiver = Self {
            url: format!("http://{}/in?a=b", listener.local_addr().unwrap()),
            answers,
            got: Arc::default(),
        };
        let router = Router::new()
            .fallback(receive)
            .with_state(receiver.clone())
            .into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        receiver
    }

    async fn send_with(&self, timeout: Duration) -> Result<(), SendError> {
        let sink = HttpSink::new(&self.url, timeout).unwrap();
        send(&sink, 0).await
    }

    async fn send(&self) -> Result<(), SendError> {
        self.send_with(PATIENCE).await
    }

    fn count(&self) -> usize {
        self.got.lock().unwrap().len()
    }
}

/// One event by itself.
async fn send(sink: &HttpSink, number: u32) -> Result<(), SendError> {
    let [verdict] = <[_; 1]>::try_from(sink.send(&[&samples::row(number)]).await).unwrap();
    verdict
}

async fn receive(
    State(receiver): State<Receiver>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    receiver.got.lock().unwrap().push(Got {
        method,
        uri,
        headers,
        body,
        peer_port: peer.port(),
    });
    match receiver.answers {
        Answers::With(status) => (status, "said at length").into_response(),
        Answers::RedirectTo(url) => {
            (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, url)]).into_response()
        }
        Answers::Never => std::future::pending().await,
    }
}

#[tokio::test]
async fn an_event_is_posted_as_a_structured_mode_cloud_event() {
    let receiver = Receiver::start(Answers::With(StatusCode::ACCEPTED)).await;
    assert_eq!(receiver.send().await, Ok(()));
    let got = receiver.got.lock().unwrap();
    let [got] = &got[..] else {
        panic!("sent {} times", got.len());
    };
    assert_eq!(
        (&got.method, got.uri.to_string()),
        (&Method::POST, "/in?a=b".to_owned())
    );
    assert_eq!(
        got.headers[header::CONTENT_TYPE],
        "application/cloudevents+json; charset=utf-8"
    );
    assert_eq!(got.body, samples::row(0).event.to_cloud_event().as_bytes());
}

/// In the event, and beside it.
#[tokio::test]
async fn a_trace_goes_with_its_event() {
    let receiver = Receiver::start(Answers::With(StatusCode::OK)).await;
    let sink = HttpSink::new(&receiver.url, PATIENCE).unwrap();
    let mut row = samples::row(0);
    row.event.trace = TraceParent::beginning_with("8476a536-e9f4-11e8-9739-2dfe598c3fcd");
    let trace = row.event.trace.unwrap().to_string();
    assert_eq!(sink.send(&[&row]).await, [Ok(())]);
    send(&sink, 1).await.unwrap();
    let got = receiver.got.lock().unwrap();
    assert_eq!(got[0].headers["traceparent"], trace.as_str());
    let body = String::from_utf8(got[0].body.to_vec()).unwrap();
    assert!(
        body.contains(&format!(r#""traceparent":"{trace}""#)),
        "{body}"
    );
    assert_eq!(got[1].headers.get("traceparent"), None);
}

#[tokio::test]
async fn events_follow_each_other_on_one_connection() {
    let receiver = Receiver::start(Answers::With(StatusCode::OK)).await;
    let sink = HttpSink::new(&receiver.url, PATIENCE).unwrap();
    for number in 0..3 {
        send(&sink, number).await.unwrap();
    }
    let got = receiver.got.lock().unwrap();
    assert_eq!(got.len(), 3);
    assert!(
        got.iter()
            .all(|request| request.peer_port == got[0].peer_port)
    );
}

#[tokio::test]
async fn a_refusal_of_the_event_is_poison_and_of_anything_else_is_not() {
    for (status, poison) in [
        (StatusCode::BAD_REQUEST, true),
        (StatusCode::PAYLOAD_TOO_LARGE, true),
        (StatusCode::UNPROCESSABLE_ENTITY, true),
        (StatusCode::UNAUTHORIZED, false),
        (StatusCode::NOT_FOUND, false),
        (StatusCode::TOO_MANY_REQUESTS, false),
        (StatusCode::SERVICE_UNAVAILABLE, false),
    ] {
        let receiver = Receiver::start(Answers::With(status)).await;
        let error = receiver.send().await.unwrap_err();
        assert_eq!(matches!(error, SendError::Poison(_)), poison, "{error}");
        assert!(
            !error.to_string().contains("at length"),
            "the body is not quoted"
        );
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Receiver::start(Answers::With(StatusCode::OK)).await;
    let receiver = Receiver::start(Answers::RedirectTo(elsewhere.url.clone())).await;
    let error = receiver.send().await.unwrap_err();
    assert!(matches!(error, SendError::Unavailable(_)), "{error}");
    assert_eq!(elsewhere.count(), 0);
}

#[tokio::test]
async fn no_answer_in_time_is_not_an_acknowledgement() {
    let receiver = Receiver::start(Answers::Never).await;
    let error = receiver.send_with(Duration::from_millis(100)).await;
    assert_eq!(
        error,
        Err(SendError::Unavailable("no answer in time".to_owned()))
    );
    assert_eq!(receiver.count(), 1, "it did arrive");
}

/// A receiver that answers the first request with these bytes and holds the connection, or else closes it.
async fn raw(answer: &'static [u8], hold: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        // All of a small request at once, over loopback.
        assert!(connection.read(&mut [0; 16_384]).await.unwrap() > 0);
        connection.write_all(answer).await.unwrap();
        if hold {
            std::future::pending::<()>().await;
        }
    });
    url
}

#[tokio::test]
async fn an_acknowledgement_counts_although_its_body_never_ends() {
    let url = raw(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf", true).await;
    let sink = HttpSink::new(&url, PATIENCE).unwrap();
    assert_eq!(send(&sink, 0).await, Ok(()));
}

#[tokio::test]
async fn a_sink_that_is_not_there_is_not_available() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let sink = HttpSink::new(&url, PATIENCE).unwrap();
    let error = send(&sink, 0).await;
    assert_eq!(
        error,
        Err(SendError::Unavailable("no connection".to_owned()))
    );
}

#[tokio::test]
async fn a_connection_that_breaks_off_is_not_an_acknowledgement() {
    for answer in [&b""[..], b"HTTP/1.1 20"] {
        let sink = HttpSink::new(&raw(answer, false).await, PATIENCE).unwrap();
        let error = send(&sink, 0).await.unwrap_err();
        assert!(matches!(error, SendError::Unavailable(_)), "{error}");
    }
}

#[test]
fn an_url_that_is_none_is_refused_at_the_start() {
    let error = HttpSink::new("localhost:80", PATIENCE).unwrap_err();
    assert!(error.to_string().contains("http or https"), "{error}");
}

/// By the same library and the same certificates as the AWS SDK.
#[test]
fn a_sink_behind_tls_can_be_made() {
    let made = HttpSink::new("https://sink.example/", PATIENCE);
    match made {
        Ok(_) => {}
        Err(error) => assert!(error.to_string().contains("certificates"), "{error}"),
    }
}

/// The vector of the specification is in the module's own tests; here it is what a receiver gets.
#[tokio::test]
async fn a_signed_event_can_be_verified_by_its_receiver() {
    let receiver = Receiver::start(Answers::With(StatusCode::OK)).await;
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let clock = ManualClock::default();
    let sink = HttpSink::new(&receiver.url, PATIENCE).unwrap();
    let sink = sink.signed(secret.parse().unwrap(), clock.clone());
    let row = samples::row(0);
    assert_eq!(sink.send(&[&row]).await, [Ok(())]);
    clock.advance(Duration::from_secs(60));
    assert_eq!(sink.send(&[&row]).await, [Ok(())]);

    let got = receiver.got.lock().unwrap();
    let [first, second] = &got[..] else {
        panic!("sent {} times", got.len());
    };
    let header = |got: &Got, name| got.headers[name].to_str().unwrap().to_owned();
    for (got, ms) in [(first, START), (second, START + 60_000)] {
        let (id, seconds) = (header(got, "webhook-id"), header(got, "webhook-timestamp"));
        assert_eq!(id, row.event.id.as_str());
        assert_eq!(seconds, (ms / 1_000).to_string());
        let key = STANDARD
            .decode(secret.trim_start_matches("whsec_"))
            .unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(format!("{id}.{seconds}.").as_bytes());
        mac.update(&got.body);
        let expected = STANDARD.encode(mac.finalize().into_bytes());
        assert_eq!(header(got, "webhook-signature"), format!("v1,{expected}"));
    }
    assert_eq!(first.body, second.body);
}

/// Of several subjects at once; each waits for its own answer alone.
#[tokio::test]
async fn events_that_are_handed_in_together_are_posted_beside_each_other() {
    let receiver = Receiver::start(Answers::With(StatusCode::OK)).await;
    let sink = HttpSink::new(&receiver.url, PATIENCE).unwrap();
    let rows: Vec<_> = (0..5).map(samples::row).collect();
    let verdicts = sink.send(&rows.iter().collect::<Vec<_>>()).await;
    assert_eq!(verdicts, vec![Ok(()); 5]);
    assert_eq!(receiver.count(), 5);
}
