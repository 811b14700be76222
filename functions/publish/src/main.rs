//! The deployed binary of the publish function.

use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match fn_publish::run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("publish: {error}");
            ExitCode::FAILURE
        }
    }
}
