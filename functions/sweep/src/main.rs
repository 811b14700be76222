//! The deployed binary of the sweep function.

use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match fn_sweep::run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sweep: {error}");
            ExitCode::FAILURE
        }
    }
}
