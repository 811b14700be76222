//! The use-cases of Decide Once over ports.
