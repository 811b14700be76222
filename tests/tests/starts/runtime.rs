//! A Runtime API that hands out nothing: it hears whether a function takes its first event, or why it does not start
//! (<https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html>).

use std::{
    collections::BTreeMap,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    Router,
    http::StatusCode,
    routing::{get, post},
};
use decide_once_tests::{binary, eventually};
use tokio::net::TcpListener;

/// What was heard.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Heard {
    /// It takes its first event.
    Next,
    /// It does not start.
    Refused(String),
}

/// The API, for one process.
pub(crate) struct RuntimeApi {
    url: String,
    heard: Arc<Mutex<Vec<Heard>>>,
}

impl RuntimeApi {
    pub(crate) async fn start() -> Self {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (next, refused) = (Arc::clone(&heard), Arc::clone(&heard));
        let router = Router::new()
            .route(
                "/2018-06-01/runtime/invocation/next",
                get(async move || {
                    push(&next, Heard::Next);
                    std::future::pending::<StatusCode>().await
                }),
            )
            .route(
                "/2018-06-01/runtime/init/error",
                post(async move |body: String| {
                    push(&refused, Heard::Refused(body));
                    StatusCode::ACCEPTED
                }),
            );
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, heard }
    }

    /// Returns why the function did not start. It has taken nothing.
    pub(crate) async fn refused(
        &self,
        function: &str,
        environment: &BTreeMap<&'static str, String>,
    ) -> String {
        let mut child = self.spawn(function, environment);
        let status = eventually("the function's end", async || {
            assert!(
                !self.heard().contains(&Heard::Next),
                "{function} took an event"
            );
            child.try_wait().unwrap()
        })
        .await;
        assert!(!status.success());
        match &self.heard()[..] {
            [Heard::Refused(why)] => why.clone(),
            other => panic!("{function}: {other:?}"),
        }
    }

    /// Returns once the function takes its first event.
    pub(crate) async fn taken(&self, function: &str, environment: &BTreeMap<&'static str, String>) {
        let mut child = self.spawn(function, environment);
        let heard = eventually("a word of the function", async || {
            self.heard().first().cloned()
        })
        .await;
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(heard, Heard::Next, "{function}");
    }

    fn heard(&self) -> Vec<Heard> {
        let heard = self.heard.lock();
        heard.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn spawn(&self, function: &str, environment: &BTreeMap<&'static str, String>) -> Child {
        let lambdas = [
            ("AWS_LAMBDA_FUNCTION_NAME", function),
            ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
            ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "512"),
            ("AWS_LAMBDA_LOG_GROUP_NAME", "test"),
            ("AWS_LAMBDA_LOG_STREAM_NAME", "test"),
            ("AWS_REGION", "eu-central-1"),
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", "test"),
            ("AWS_EC2_METADATA_DISABLED", "true"),
            // Whoever gets as far as AWS finds nobody there.
            ("AWS_ENDPOINT_URL", "http://127.0.0.1:1"),
            // The tables are not looked at: what is said is the function's own.
            ("DECIDE_ONCE_LOCAL_STACK", "1"),
        ];
        Command::new(binary::decide_once())
            .args(["function", function])
            .env_clear()
            .envs(lambdas)
            .env("AWS_LAMBDA_RUNTIME_API", &self.url)
            .envs(environment)
            // It ends when this does.
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }
}

fn push(to: &Mutex<Vec<Heard>>, heard: Heard) {
    let mut all = to.lock().unwrap_or_else(PoisonError::into_inner);
    all.push(heard);
}
