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

/// The function that keeps balances, and the queue that wakes it.
pub const CONSUME: &str = "consume";
/// What it could not handle.
pub const CONSUME_DEAD: &str = "consume-dead";
/// The function that takes decision requests from a queue, and that queue.
pub const INTAKE: &str = "intake";
/// What it refused, with the reason, and what it could not handle.
pub const INTAKE_DEAD: &str = "intake-dead";

/// The ARN of a queue.
pub fn queue_arn(queue: &str) -> String {
    format!("arn:aws:sqs:{REGION}:{ACCOUNT}:{queue}")
}

/// The URL of a queue of the stack at `url`.
pub fn queue_url(url: &str, queue: &str) -> String {
    format!("{url}/_local/sqs/{ACCOUNT}/{queue}")
}

/// The ARN of a function.
pub fn function_arn(function: &str) -> String {
    format!("arn:aws:lambda:{REGION}:{ACCOUNT}:function:{function}")
}
