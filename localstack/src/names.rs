//! What things are called in the local stack: region, account, functions and tables.

/// The region that SDKs and ARNs name. Nothing depends on which one.
pub const REGION: &str = "us-east-1";
/// The account that ARNs name.
pub const ACCOUNT: &str = "000000000000";

/// The function behind the HTTP API.
pub const DECIDE: &str = "decide";
/// The function behind the stream of operations.
pub const EVALUATE: &str = "evaluate";
/// The function behind the outbox's stream.
pub const PUBLISH: &str = "publish";

/// The function behind the schedule.
pub const SWEEP: &str = "sweep";

/// The ARN of a function.
pub fn function_arn(function: &str) -> String {
    format!("arn:aws:lambda:{REGION}:{ACCOUNT}:function:{function}")
}
