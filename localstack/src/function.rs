//! `decide-once function <name>`: this process is one instance of a function.

use std::{error::Error, time::Duration};

use axum::body::Bytes;
use http::{Request, header::CONTENT_TYPE};
use http_body_util::Full;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use serde_json::json;

use crate::{by_hand, names, one_line, processes};

/// How long the stack may take to hear why a function does not start.
const REPORT_LIMIT: Duration = Duration::from_secs(2);

/// Why a function process ended.
#[derive(Debug, thiserror::Error)]
pub enum FunctionError {
    /// Somebody typed the command.
    #[error(
        "function processes are started by the stack itself; run `decide-once` without `function`"
    )]
    NotByTheStack,
    /// No such function.
    #[error("there is no function {0}")]
    Unknown(String),
    /// The function gave up. The stack knows why and says so.
    #[error("the function ended")]
    Reported,
    /// The function gave up, and the stack could not be told.
    #[error("the function ended: {0}")]
    Failed(String),
}

/// Runs the very `run()` of the deployed function, until the stack ends.
///
/// # Errors
/// The function did not start or gave up.
pub async fn run(name: &str) -> Result<(), FunctionError> {
    let runtime_api =
        std::env::var("AWS_LAMBDA_RUNTIME_API").map_err(|_| FunctionError::NotByTheStack)?;
    processes::exit_with_parent();
    let result = match (by_hand::check_tables().await, name) {
        (Err(missing), _) => Err(missing.into()),
        (Ok(()), names::DECIDE) => fn_decide::run().await,
        (Ok(()), names::EVALUATE) => fn_evaluate::run().await,
        (Ok(()), names::PUBLISH) => fn_publish::run().await,
        (Ok(()), names::CONSUME) => fn_consume::run().await,
        (Ok(()), names::INTAKE) => fn_intake::run().await,
        (Ok(()), names::SWEEP) => fn_sweep::run().await,
        (Ok(()), _) => return Err(FunctionError::Unknown(name.to_owned())),
    };
    let Err(error) = result else {
        return Ok(());
    };
    let error = one_line(error.as_ref());
    match tokio::time::timeout(REPORT_LIMIT, report(&runtime_api, &error)).await {
        Ok(Ok(())) => Err(FunctionError::Reported),
        _ => Err(FunctionError::Failed(error)),
    }
}

/// `POST …/init/error`, as Lambda runtimes do, so that the stack can say in one line why it does not start.
async fn report(runtime_api: &str, error: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
    let report = json!({ "errorType": "Runtime.InitError", "errorMessage": error });
    let request = Request::post(format!("{runtime_api}/2018-06-01/runtime/init/error"))
        .header(CONTENT_TYPE, "application/json")
        .body(Full::new(Bytes::from(report.to_string())))?;
    let client = Client::builder(TokioExecutor::new()).build_http();
    client.request(request).await?;
    Ok(())
}
