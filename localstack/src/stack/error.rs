//! Why the stack does not start.

use std::io;

use crate::{
    engine::EngineError,
    policies::PoliciesError,
    processes::{ReservedName, StartFailure},
    pump::PumpError,
};

/// Why the stack does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The HTTP API's port cannot be had.
    #[error(
        "cannot listen on 127.0.0.1:{port}; stop what uses the port or choose another with --port (0 takes a free one)"
    )]
    Port {
        /// The port.
        port: u16,
        /// The operating system's reason.
        source: io::Error,
    },
    /// No policies.
    #[error(transparent)]
    Policies(#[from] PoliciesError),
    /// `--env` names a variable of the stack.
    #[error(transparent)]
    Variable(#[from] ReservedName),
    /// The engine or its tables.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A function ended before it asked for work.
    #[error(transparent)]
    Function(#[from] StartFailure),
    /// The stream's mapping is none.
    #[error(transparent)]
    Mapping(PumpError),
    /// The operating system refused something that it usually grants.
    #[error("cannot {what}")]
    System {
        /// What was tried.
        what: &'static str,
        /// The operating system's reason.
        source: io::Error,
    },
}

/// Names what the operating system refused.
pub(super) fn system(what: &'static str) -> impl FnOnce(io::Error) -> StartError {
    move |source| StartError::System { what, source }
}
