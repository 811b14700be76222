//! The deployed binary of the consume function.

use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match fn_consume::run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("consume: {error}");
            ExitCode::FAILURE
        }
    }
}
