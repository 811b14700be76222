//! The embedded metric format: `_aws` tells CloudWatch Logs which members of a line are metrics
//! (<https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html>).

use std::fmt::{self, Write as _};
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Meter, Metric};
use crate::variables::{Malformed, VariableError, optional};

/// How many values a metric may have in one document.
pub(super) const MOST_VALUES: usize = 100;

/// Where the metrics are, unless `METRICS_NAMESPACE` says otherwise.
pub const NAMESPACE: &str = "DecideOnce";

/// Whose lines these are, of the whole process.
static ORIGIN: OnceLock<Origin> = OnceLock::new();

/// Whose metrics these are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    function: &'static str,
    namespace: String,
}

impl Origin {
    /// Of this function, in `METRICS_NAMESPACE`.
    ///
    /// # Errors
    /// The variable cannot be a namespace
    /// (<https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html#Namespace>).
    pub fn from_env(function: &'static str) -> Result<Self, VariableError> {
        let wanted = "a CloudWatch namespace: 1 to 255 of A-Z a-z 0-9 . - _ / # : and space, not beginning with AWS/";
        let named: Option<Namespace> = optional("METRICS_NAMESPACE", wanted)?;
        let namespace = named.map_or_else(|| NAMESPACE.to_owned(), |Namespace(name)| name);
        Ok(Self {
            function,
            namespace,
        })
    }

    /// From now on this process's lines are of this origin. Of several the first counts.
    pub(crate) fn hold(self) {
        let _is_first = ORIGIN.set(self);
    }

    /// What the line of a meter has of it: its metrics, and `_aws`.
    fn document(&self, meter: &Meter, at_ms: u128) -> String {
        let names: Vec<_> = meter.metrics().map(|(metric, _)| metric).collect();
        if names.is_empty() {
            return String::new();
        }
        let mut text = members(meter);
        let _infallible = write!(text, r#","function":"{}""#, self.function);
        // Of all functions together, which alarms watch, and of each.
        self.directive(&mut text, &names, r#"[[],["function"]]"#, at_ms);
        text
    }

    /// What a line with an `alarm` has beside it.
    fn alarm_document(&self, at_ms: u128) -> String {
        let mut text = format!(
            r#""{}":1,"function":"{}""#,
            Metric::Alarms.name(),
            self.function
        );
        self.directive(&mut text, &[Metric::Alarms], r#"[["alarm"]]"#, at_ms);
        text
    }

    fn directive(&self, text: &mut String, metrics: &[Metric], dimensions: &str, at_ms: u128) {
        let metrics: Vec<_> = metrics
            .iter()
            .map(|metric| {
                let (name, unit) = (metric.name(), metric.unit().as_str());
                format!(r#"{{"Name":"{name}","Unit":"{unit}"}}"#)
            })
            .collect();
        let (namespace, metrics) = (&self.namespace, metrics.join(","));
        let _infallible = write!(
            text,
            r#","_aws":{{"Timestamp":{at_ms},"CloudWatchMetrics":[{{"Namespace":"{namespace}","Dimensions":{dimensions},"Metrics":[{metrics}]}}]}}"#
        );
    }
}

/// What a line with an `alarm` has beside it; nothing outside of a function.
pub(crate) fn alarm() -> Option<String> {
    Some(ORIGIN.get()?.alarm_document(now_ms()))
}

impl fmt::Display for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match ORIGIN.get() {
            Some(origin) => f.write_str(&origin.document(self, now_ms())),
            None => f.write_str(&members(self)),
        }
    }
}

fn members(meter: &Meter) -> String {
    let mut text = String::new();
    for (metric, values) in meter.metrics() {
        let separator = if text.is_empty() { "" } else { "," };
        let _infallible = write!(text, r#"{separator}"{}":{values}"#, metric.name());
    }
    text
}

struct Namespace(String);

impl FromStr for Namespace {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let is_named = |c: char| c.is_ascii_alphanumeric() || ".-_/#: ".contains(c);
        let fits = (1..=255).contains(&text.len()) && text.chars().all(is_named);
        if !fits || text.starts_with("AWS/") || text.trim() != text {
            return Err(Malformed);
        }
        Ok(Self(text.to_owned()))
    }
}

/// Real time, also where a function's clock is steered: CloudWatch takes no metric from far away.
fn now_ms() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_millis()
}

#[cfg(test)]
mod tests;
