//! What a command prints: lines for people, or one JSON object a line.

use std::io::{self, Write as _};

use decide_once_protocol::json::{Object, Value};

use crate::plain::plain;

/// Standard output, in the form that was asked for.
pub(super) struct Screen {
    json: bool,
}

impl Screen {
    pub(super) const fn new(json: bool) -> Self {
        Self { json }
    }

    /// A line for people.
    pub(super) fn line(&self, text: &str) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{}", plain(text).trim_end())
    }

    /// An object for machines.
    pub(super) fn object(&self, object: impl FnOnce() -> Object) -> io::Result<()> {
        if !self.json {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{}", Value::from(object()).to_json())
    }
}
