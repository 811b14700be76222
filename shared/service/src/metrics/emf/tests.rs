//! Documents against the rules of the specification, as its page has them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use super::*;
use crate::metrics::Unit;

fn origin() -> Origin {
    Origin {
        function: "decide",
        namespace: "DecideOnce/test".to_owned(),
    }
}

fn line(members: &str) -> Value {
    serde_json::from_str(&format!(
        r#"{{"level":"INFO","alarm":"panic",{members},"target":"t"}}"#
    ))
    .unwrap()
}

/// Every rule of the specification that a document of ours could break.
#[track_caller]
fn assert_follows_the_specification(root: &Value) {
    let aws = root["_aws"].as_object().unwrap();
    let members: BTreeSet<_> = aws.keys().map(String::as_str).collect();
    assert_eq!(
        members,
        BTreeSet::from(["CloudWatchMetrics", "Timestamp"]),
        "no further members"
    );
    assert!(aws["Timestamp"].is_u64());
    for directive in aws["CloudWatchMetrics"].as_array().unwrap() {
        let members: BTreeSet<_> = directive.as_object().unwrap().keys().collect();
        assert_eq!(members.len(), 3, "{members:?}");
        assert!((1..=1024).contains(&directive["Namespace"].as_str().unwrap().len()));
        let sets = directive["Dimensions"].as_array().unwrap();
        assert!(!sets.is_empty());
        for set in sets {
            let set = set.as_array().unwrap();
            assert!(set.len() <= 30);
            for key in set {
                let value = root[key.as_str().unwrap()].as_str().unwrap();
                assert!(!value.is_empty() && value.len() <= 1024 && value.is_ascii());
            }
        }
        let metrics = directive["Metrics"].as_array().unwrap();
        assert!((1..=100).contains(&metrics.len()));
        let mut names = BTreeSet::new();
        for metric in metrics {
            let name = metric["Name"].as_str().unwrap();
            assert!((1..=1024).contains(&name.len()) && names.insert(name));
            let unit = metric["Unit"].as_str().unwrap();
            assert!(["Count", "Seconds", "Milliseconds", "Microseconds"].contains(&unit));
            match &root[name] {
                Value::Number(_) => {}
                Value::Array(values) => {
                    assert!(values.len() <= MOST_VALUES && values.iter().all(Value::is_number));
                }
                other => panic!("{name} is {other}"),
            }
        }
    }
}

#[test]
fn all_metrics_of_a_line_are_members_of_it_and_named() {
    let meter = Metric::EVERY
        .iter()
        .fold(Meter::default(), |meter, metric| match metric.unit() {
            Unit::Count => meter.count(*metric, 7),
            _ => meter.time(*metric, Duration::from_millis(1_500)),
        });
    let line = line(&origin().document(&meter, 1_796_083_200_000));
    assert_follows_the_specification(&line);
    let metrics = &line["_aws"]["CloudWatchMetrics"][0]["Metrics"];
    assert_eq!(metrics.as_array().unwrap().len(), Metric::EVERY.len());
    assert_eq!(
        (&line["decided"], &line["function"]),
        (&7.into(), &"decide".into())
    );
    assert_eq!(line["total_us"], 1_500_000);
    assert_eq!(line["delivery_lag_ms"], 1_500);
    assert_eq!(line["oldest_due_seconds"], 1);
}

#[test]
fn an_alarm_is_counted_by_its_word() {
    let line = line(&origin().alarm_document(1));
    assert_follows_the_specification(&line);
    assert_eq!(line["alarms"], 1);
    let directive = &line["_aws"]["CloudWatchMetrics"][0];
    assert_eq!(directive["Dimensions"], serde_json::json!([["alarm"]]));
}

#[test]
fn what_never_happened_is_no_metric_and_of_too_many_values_the_highest_stay() {
    let nothing = Meter::default()
        .count(Metric::Decided, 0)
        .time(Metric::OldestDue, None)
        .times(Metric::DeliveryLag, &[]);
    assert_eq!(origin().document(&nothing, 1), "");
    let lags: Vec<_> = (0..250).map(Duration::from_millis).collect();
    let meter = Meter::default()
        .number(Metric::RoundTrips, 0)
        .times(Metric::DeliveryLag, &lags);
    let line = line(&origin().document(&meter, 1));
    assert_follows_the_specification(&line);
    assert_eq!(line["round_trips"], 0);
    let lags = line["delivery_lag_ms"].as_array().unwrap();
    assert_eq!((&lags[0], &lags[99]), (&249.into(), &150.into()));
}

#[test]
fn one_name_is_one_member() {
    let meter = Meter::default().count(Metric::Decided, 1);
    let meter = meter.with(Meter::default().count(Metric::Decided, 2));
    assert_eq!(meter.to_string(), r#""decided":2"#);
    let names: BTreeSet<_> = Metric::EVERY.iter().map(|metric| metric.name()).collect();
    assert_eq!(names.len(), Metric::EVERY.len());
}

#[test]
fn a_namespace_is_what_cloudwatch_takes() {
    let long = "n".repeat(256);
    for text in ["", "AWS/Own", "nämlich", " spaced", "a\"b", long.as_str()] {
        assert!(text.parse::<Namespace>().is_err(), "{text}");
    }
    assert!(
        NAMESPACE.parse::<Namespace>().is_ok()
            && "DecideOnce/my-stack".parse::<Namespace>().is_ok()
    );
}
