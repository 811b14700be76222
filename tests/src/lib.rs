//! Conformance, crash, HTTP and end-to-end tests.
