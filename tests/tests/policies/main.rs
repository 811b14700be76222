//! Policies as governed artefacts: what a pin protects, across deployments, versions and natural keys.
//!
//! The use-cases run over the store in memory, as several instances of the function with different policies packaged; what only HTTP or
//! the command line shows is asked of the real command.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod activation;
mod command;
mod failures;
mod http;
mod identity;
mod instance;
mod natural_keys;
mod texts;
