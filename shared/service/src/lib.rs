//! The use-cases of Decide Once over ports: each path on one screen.

pub mod memory;
pub mod ports;
