//! One thing, member by member: aligned for people, an object for machines.

use std::io;

use decide_once_protocol::json::{Object, Value};
use decide_once_protocol::time::Timestamp;

use super::screen::Screen;

/// Columns that the longest label takes.
const WIDTH: usize = 16;

/// Labels for people and members for machines, in order.
#[derive(Default)]
pub(super) struct Fields {
    lines: Vec<(&'static str, String)>,
    json: Object,
}

impl Fields {
    /// A member that reads the same for both.
    pub(super) fn add(&mut self, label: &'static str, name: &str, value: &str) {
        self.add_as(label, value.to_owned(), name, Value::from(value));
    }

    /// A member that people read otherwise than machines.
    pub(super) fn add_as(&mut self, label: &'static str, text: String, name: &str, value: Value) {
        self.lines.push((label, text));
        self.json.insert(name, value);
    }

    /// An instant; people are told besides what it means now.
    pub(super) fn instant(&mut self, label: &'static str, name: &str, at: Timestamp, note: &str) {
        let instant = at.to_rfc3339_millis();
        let text = format!("{instant}  {note}");
        self.add_as(label, text, name, Value::from(instant));
    }

    /// Prints it.
    pub(super) fn show(self, screen: &Screen) -> io::Result<()> {
        for (label, text) in &self.lines {
            screen.line(&format!("{label:WIDTH$} {text}"))?;
        }
        screen.object(|| self.json)
    }
}
