//! What EventBridge, SNS and SQS have in common: the client's settings, what an error says, answers by id.

pub(crate) mod client;
pub(crate) mod failure;
pub(crate) mod ids;
