//! The deployed binary of the publish function.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), fn_publish::Error> {
    fn_publish::run().await
}
