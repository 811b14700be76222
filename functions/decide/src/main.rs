//! The deployed binary of the decide function.

use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match fn_decide::run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("decide: {error}");
            ExitCode::FAILURE
        }
    }
}
