//! The DynamoDB adapter of the store port.
