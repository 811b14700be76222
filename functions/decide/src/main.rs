//! The deployed binary of the decide function.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), fn_decide::Error> {
    fn_decide::run().await
}
