//! The deployed binary of the intake function.

use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match fn_intake::run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("intake: {error}");
            ExitCode::FAILURE
        }
    }
}
