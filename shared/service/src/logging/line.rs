//! An event as one line of JSON: level, message, its fields as they are, and its metrics.

use std::fmt;

use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::{Event, Level};

use crate::metrics::emf;

/// The field of an event that is a [`Meter`](crate::metrics::Meter), and whose text is JSON.
const METRICS: &str = "metrics";

/// The field of an event that an operator is to be told of.
const ALARM: &str = "alarm";

/// The line of an event.
pub(super) fn of(event: &Event<'_>) -> String {
    let metadata = event.metadata();
    let mut line = Line {
        text: "{".to_owned(),
        is_alarm: false,
    };
    line.member("level", metadata.level().as_str());
    event.record(&mut line);
    if line.is_alarm
        && *metadata.level() == Level::ERROR
        && let Some(metrics) = emf::alarm()
    {
        line.raw(&metrics);
    }
    line.member("target", metadata.target());
    line.text.push('}');
    line.text
}

struct Line {
    text: String,
    is_alarm: bool,
}

impl Line {
    fn member(&mut self, name: &str, value: impl Into<serde_json::Value>) {
        self.raw(&format!("{}:{}", json!(name), value.into()));
    }

    fn raw(&mut self, members: &str) {
        let is_first = self.text.len() == 1;
        if !members.is_empty() {
            self.text.push_str(if is_first { "" } else { "," });
            self.text.push_str(members);
        }
    }
}

impl Visit for Line {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.member(field.name(), value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.member(field.name(), value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.member(field.name(), value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.member(field.name(), value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.is_alarm |= field.name() == ALARM;
        self.member(field.name(), value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == METRICS {
            self.raw(&format!("{value:?}"));
        } else {
            self.member(field.name(), format!("{value:?}"));
        }
    }
}
