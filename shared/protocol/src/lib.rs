//! The pure protocol of Decide Once: keys, canonical form, fingerprints, records, the classifier, outbox rules.

pub mod fingerprint;
pub mod hash;
pub mod json;
pub mod key;
pub mod members;
pub mod request;
pub mod scope;
