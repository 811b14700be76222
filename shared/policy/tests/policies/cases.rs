//! The field cases and the rivals' failures that are decided at the level of policies.

use crate::support::{NOW, facts, policy, set_of, shipped, subject};
use decide_once_policy::{Evaluation, FactsInvalid, FailureCode, Policy};
use decide_once_protocol::fingerprint::{Fingerprint, Scheme, normalised};
use decide_once_protocol::scope::OperationName;

fn fingerprint(policy: &Policy, text: &str) -> Fingerprint {
    let normal = policy.normalise(&facts(text)).unwrap();
    let operation = OperationName::parse("decide").unwrap();
    normalised(
        Scheme::CURRENT,
        &operation,
        &policy.id,
        policy.version,
        &subject(),
        normal.identity(),
    )
}

fn decide(policy: &Policy, text: &str) -> Evaluation {
    policy.evaluate(&policy.normalise(&facts(text)).unwrap(), &subject(), NOW)
}

fn rule(evaluation: &Evaluation) -> &str {
    match evaluation {
        Evaluation::Decided { rule, .. } => rule,
        Evaluation::Failed { detail, .. } => panic!("{detail}"),
    }
}

fn outcome(evaluation: &Evaluation) -> String {
    match evaluation {
        Evaluation::Decided { outcome, .. } => outcome.to_json(),
        Evaluation::Failed { detail, .. } => panic!("{detail}"),
    }
}

fn pointers(refused: Result<impl Sized, FactsInvalid>) -> Vec<String> {
    let errors = refused.err().unwrap().errors;
    errors.into_iter().map(|error| error.pointer).collect()
}

#[test]
fn c13_null_and_absent_are_different_requests() {
    let set = shipped();
    let policy = policy(&set, "credit-limit", 3);
    let absent = r#"{"amount":12500,"currency":"USD"}"#;
    let null = r#"{"amount":12500,"currency":"USD","memo":null}"#;
    assert_ne!(fingerprint(policy, absent), fingerprint(policy, null));
    // A default stands for what is absent, never for `null`.
    assert_eq!(
        fingerprint(policy, absent),
        fingerprint(policy, r#"{"amount":12500}"#)
    );
    assert_eq!(
        pointers(policy.normalise(&facts(r#"{"amount":12500,"currency":null}"#))),
        ["/currency"]
    );
}

#[test]
fn h13_a_changed_timestamp_is_another_request_unless_the_policy_excludes_it() {
    let set = shipped();
    let credit = policy(&set, "credit-limit", 3);
    let stamped = |second| {
        format!(r#"{{"amount":12500,"currency":"USD","client_ts":"2026-12-01T00:00:0{second}Z"}}"#)
    };
    assert_ne!(
        fingerprint(credit, &stamped(0)),
        fingerprint(credit, &stamped(2))
    );

    let refund = policy(&set, "refund-approval", 1);
    let attempt = |stamp: &str| {
        format!(
            r#"{{"orderId":"A-1","line":1,"amount":5,"paid":5,"currency":"USD","purchasedAt":"2026-11-30T00:00:00Z","reason":"damaged"{stamp}}}"#
        )
    };
    let first = attempt(r#","client_ts":"2026-12-01T00:00:00Z""#);
    let second = attempt(r#","client_ts":"2026-12-01T00:00:02Z""#);
    assert_eq!(fingerprint(refund, &first), fingerprint(refund, &second));
    assert_eq!(
        fingerprint(refund, &first),
        fingerprint(refund, &attempt(""))
    );
    // It is checked before it is forgotten, and no rule sees it.
    assert_eq!(
        pointers(refund.normalise(&facts(&attempt(r#","client_ts":"now""#)))),
        ["/client_ts"]
    );
    assert!(
        !refund
            .normalise(&facts(&first))
            .unwrap()
            .facts()
            .contains("client_ts")
    );
    assert_eq!(decide(refund, &first), decide(refund, &second));
}

#[test]
fn a08_a_part_of_a_natural_key_that_is_missing_null_or_empty_is_refused() {
    let head = "policy: p\nversion: 1\ninput:\n  type: object\n  properties:\n    order: { type: [string, 'null'] }\n    line: { type: integer }\nunique: { order-line: [/order, /line] }\nretention: { result: 24h, key: 72h, decision: 400d }\nrules: [{ id: all, when: 'true', then: { decision: approve } }]\n";
    let set = set_of(&[("p", 1, head)], "p: 1");
    let policy = policy(&set, "p", 1);
    assert_eq!(
        pointers(policy.normalise(&facts("{}"))),
        ["/order", "/line"]
    );
    assert_eq!(
        pointers(policy.normalise(&facts(r#"{"order":null,"line":1}"#))),
        ["/order"]
    );
    assert_eq!(
        pointers(policy.normalise(&facts(r#"{"order":"","line":1}"#))),
        ["/order"]
    );
    let claims = |text| match decide(policy, text) {
        Evaluation::Decided { claims, .. } => claims,
        Evaluation::Failed { detail, .. } => panic!("{detail}"),
    };
    let of_one = claims(r#"{"order":"1","line":1}"#);
    assert_eq!(
        (of_one[0].name.as_str(), of_one[0].parts.as_slice()),
        (
            "order-line",
            ["\"1\"".to_owned(), "1".to_owned()].as_slice()
        )
    );
    assert_eq!(
        of_one,
        claims(r#"{"line":1.0,"order":"\u0031"}"#),
        "one spelling"
    );
}

#[test]
fn a14_each_policy_version_has_its_own_configuration() {
    let set = shipped();
    let text = r#"{"amount":2000000,"currency":"USD"}"#;
    assert_eq!(
        rule(&decide(policy(&set, "credit-limit", 1), text)),
        "over-limit"
    );
    assert_eq!(
        rule(&decide(policy(&set, "credit-limit", 3), text)),
        "standard"
    );
    assert_ne!(
        policy(&set, "credit-limit", 1).digest,
        policy(&set, "credit-limit", 3).digest
    );
    assert_ne!(
        policy(&set, "credit-limit", 3).retention,
        policy(&set, "refund-approval", 1).retention
    );
    assert_ne!(
        fingerprint(policy(&set, "credit-limit", 2), text),
        fingerprint(policy(&set, "credit-limit", 3), text)
    );
}

#[test]
fn no_rule_hit_is_a_final_failure() {
    let set = shipped();
    let evaluation = decide(
        policy(&set, "credit-limit", 3),
        r#"{"amount":12500,"currency":"XXX"}"#,
    );
    let Evaluation::Failed { code, detail } = evaluation else {
        panic!("decided");
    };
    assert_eq!(code, FailureCode::NoRuleMatched);
    assert_eq!(
        detail,
        "no rule of policy credit-limit version 3 matches these facts"
    );
}

const SHARES: &str = "policy: shares
version: 1
input:
  type: object
  required: [total, people]
  properties:
    total: { type: integer }
    people: { type: integer }
    note: { type: string, maxLength: 100 }
retention: { result: 24h, key: 72h, decision: 400d }
rules:
  - { id: small, when: facts.total / facts.people < 100, then: { decision: approve } }
  - { id: noted, when: facts.note == 'x', then: { decision: approve } }
  - { id: twice, when: 'true', then: { decision: approve, total: '${facts.total * 2}' } }
events:
  - { type: com.example.shared, when: outcome.decision == 'approve', data: { note: '${facts.note}' } }
";

#[test]
fn an_error_in_a_condition_names_its_rule() {
    let set = set_of(&[("shares", 1, SHARES)], "shares: 1");
    let policy = policy(&set, "shares", 1);
    let code = |text| match decide(policy, text) {
        Evaluation::Failed { code, detail } => (code, detail),
        Evaluation::Decided { rule, .. } => panic!("{rule} hit"),
    };
    let (failure, detail) = code(r#"{"total":777,"people":0}"#);
    assert_eq!(
        failure,
        FailureCode::ConditionError {
            rule: "small".into()
        }
    );
    assert_eq!(
        detail,
        "the condition of rule small could not be computed: it divides by zero"
    );
    // Never a silent skip to the rule after it.
    let (failure, detail) = code(r#"{"total":777,"people":1}"#);
    assert_eq!(
        failure,
        FailureCode::ConditionError {
            rule: "noted".into()
        }
    );
    assert!(
        detail.ends_with("a member that it needs is absent; test it with has() first"),
        "{detail}"
    );
    let (failure, detail) = code(r#"{"total":9223372036854775807,"people":1,"note":"y"}"#);
    assert_eq!(
        failure,
        FailureCode::OutcomeError {
            rule: "twice".into()
        }
    );
    assert!(
        !detail.contains("922") && !detail.contains("777"),
        "no values: {detail}"
    );
    let (failure, _) = code(r#"{"total":5,"people":1}"#);
    assert_eq!(
        failure,
        FailureCode::EventError {
            event: "com.example.shared".into()
        }
    );
}

#[test]
fn a_trace_says_which_rules_were_tried_and_what_each_condition_was() {
    let set = shipped();
    let policy = policy(&set, "credit-limit", 3);
    let normal = policy
        .normalise(&facts(r#"{"amount":60000,"riskBand":"high"}"#))
        .unwrap();
    let (evaluation, trace) = policy.evaluate_traced(&normal, &subject(), NOW);
    assert_eq!(evaluation, policy.evaluate(&normal, &subject(), NOW));
    let tried: Vec<_> = trace
        .rules
        .iter()
        .map(|rule| (rule.id.as_str(), rule.result.clone()))
        .collect();
    assert_eq!(
        tried,
        [
            ("disputed", Ok(false)),
            ("over-limit", Ok(false)),
            ("high-risk", Ok(true))
        ]
    );
    assert_eq!(trace.events.len(), 2);
    assert!(trace.rules[1].condition.contains("facts.amount > 5000000"));
}

#[test]
fn date_times_compare_as_instants_only_where_the_schema_says_so() {
    let set = shipped();
    let policy = policy(&set, "credit-limit", 3);
    let reviewed = |text: &str| format!(r#"{{"amount":1,"reviewedAt":"{text}"}}"#);
    let other = |text: &str| format!(r#"{{"amount":1,"since":"{text}"}}"#);
    let (utc, berlin) = ("2026-12-01T00:00:00Z", "2026-12-01T01:00:00.00+01:00");
    assert_eq!(
        fingerprint(policy, &reviewed(utc)),
        fingerprint(policy, &reviewed(berlin))
    );
    assert_ne!(
        fingerprint(policy, &reviewed(utc)),
        fingerprint(policy, &reviewed("2026-12-01T00:00:00.000000001Z"))
    );
    assert_ne!(
        fingerprint(policy, &other(utc)),
        fingerprint(policy, &other(berlin))
    );
}

#[test]
fn numbers_reach_the_rules_as_they_were_sent_or_not_at_all() {
    let head = "policy: p\nversion: 1\ninput:\n  type: object\n  properties: { whole: { type: integer }, real: { type: number } }\nretention: { result: 24h, key: 72h, decision: 400d }\nrules: [{ id: all, when: 'true', then: { whole: '${facts.whole}', half: '${facts.real / 2.0}', other: '${facts}' } }]\n";
    let set = set_of(&[("p", 1, head)], "p: 1");
    let policy = policy(&set, "p", 1);
    let decided = |text| outcome(&decide(policy, text));
    assert_eq!(
        decided(r#"{"whole":9007199254740993,"real":3,"more":1.50}"#),
        r#"{"whole":9007199254740993,"half":1.5,"other":{"more":1.5,"real":3,"whole":9007199254740993}}"#
    );
    assert_eq!(
        decided(r#"{"whole":1e2,"real":0.2}"#),
        r#"{"whole":100,"half":0.1,"other":{"real":0.2,"whole":100}}"#
    );
    for (text, pointer) in [
        (r#"{"whole":9223372036854775808,"real":1}"#, "/whole"),
        (r#"{"whole":1.5,"real":1}"#, "/whole"),
        (r#"{"whole":1,"real":9007199254740993}"#, "/real"),
        (r#"{"whole":1,"real":0.12345678901234567890123}"#, "/real"),
        (
            r#"{"whole":1,"real":1,"more":{"x":[12345678901234567890123456789]}}"#,
            "/more/x/0",
        ),
    ] {
        assert_eq!(
            pointers(policy.normalise(&facts(text))),
            [pointer],
            "{text}"
        );
    }
}

#[test]
fn errors_name_places_and_limits_and_never_values() {
    let set = shipped();
    let policy = policy(&set, "refund-approval", 1);
    let refused = policy.normalise(&facts(
        r#"{"orderId":"secret-order-secret-order-secret-order-secret-order-secret-order-1","line":0,"amount":"secret","paid":1,
            "currency":"SECRET","purchasedAt":"secret","reason":7331,"card~/":"secret"}"#,
    ));
    let refused = refused.unwrap_err();
    let text = format!("{refused} {refused:?}");
    assert!(
        !text.contains("ecret") && !text.contains("SECRET") && !text.contains("7331"),
        "{text}"
    );
    let mut pointers: Vec<&str> = refused
        .errors
        .iter()
        .map(|error| error.pointer.as_str())
        .collect();
    pointers.sort_unstable();
    assert_eq!(
        pointers,
        [
            "/amount",
            "/card~0~1",
            "/currency",
            "/line",
            "/orderId",
            "/purchasedAt",
            "/reason"
        ]
    );
    assert!(text.contains("/facts/line must be at least 1"), "{text}");
}

#[test]
fn there_are_at_most_sixteen_errors() {
    let set = shipped();
    let policy = policy(&set, "inventory-reservation", 1);
    let lines = vec![r#"{"sku":1}"#; 100].join(",");
    let refused = policy.normalise(&facts(&format!(r#"{{"orderId":"A","lines":[{lines}]}}"#)));
    assert_eq!(
        refused.unwrap_err().errors.len(),
        decide_once_policy::MAX_FACTS_ERRORS
    );
}
