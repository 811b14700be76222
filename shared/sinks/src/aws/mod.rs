//! What EventBridge, SNS and SQS have in common: the client's settings, what an error says, answers by id.

pub(crate) mod client;
pub(crate) mod failure;
#[cfg(any(feature = "sns", feature = "sqs"))]
pub(crate) mod ids;
