//! An HTTP client for unit tests: answers from a list, keeps what was asked.
