//! The event source mapping of Lambda for DynamoDB streams, run locally by AWS's documented rules.
