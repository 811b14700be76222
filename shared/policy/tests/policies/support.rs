//! What the tests of this crate share.

use std::path::Path;

use decide_once_policy::{Policy, PolicySet};
use decide_once_protocol::json::{self, Object, Value};
use decide_once_protocol::request::{PolicyId, PolicyVersion, Subject};

/// 2026-12-01T00:00:00Z in milliseconds.
pub(crate) const NOW: i64 = 1_796_083_200_000;

/// The policies that this repository ships.
pub(crate) fn shipped() -> PolicySet {
    PolicySet::load(Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../policies"
    )))
    .unwrap()
}

/// Policies from texts.
pub(crate) fn set_of(files: &[(&str, u32, &str)], active: &str) -> PolicySet {
    let files = files
        .iter()
        .map(|(id, number, text)| (self::id(id), version(*number), text.as_bytes().to_vec()));
    PolicySet::from_files(files, active.as_bytes()).unwrap()
}

/// A policy that has to be there and sound.
pub(crate) fn policy<'s>(set: &'s PolicySet, id: &str, number: u32) -> &'s Policy {
    set.get(&self::id(id), version(number))
        .unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn id(id: &str) -> PolicyId {
    PolicyId::parse(id).unwrap()
}

pub(crate) fn version(number: u32) -> PolicyVersion {
    PolicyVersion::new(number).unwrap()
}

pub(crate) fn subject() -> Subject {
    Subject::parse("acct-42").unwrap()
}

/// Facts from JSON text.
pub(crate) fn facts(text: &str) -> Object {
    match json::parse(text.as_bytes()).unwrap() {
        Value::Object(facts) => facts,
        other => panic!("{} is no object", other.kind()),
    }
}
