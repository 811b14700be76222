//! The publish function: outbox stream to sink.
