//! What holds for all facts, and for hostile files.

use crate::support::{id, policy, set_of, shipped, subject, version};
use std::sync::LazyLock;

use decide_once_policy::{Evaluation, PolicySet};
use decide_once_protocol::json::{self, Object, Value, object};
use proptest::collection::vec;
use proptest::prelude::*;

/// The shipped policies, read and compiled twice.
static SETS: LazyLock<[PolicySet; 2]> = LazyLock::new(|| [shipped(), shipped()]);

/// Any JSON value; numbers as a caller may write them.
fn any_value() -> impl Strategy<Value = Value> {
    let number = "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,20})?(e[+-]?[0-9]{1,2})?";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        number.prop_map(|text| json::parse(text.as_bytes()).unwrap()),
        ".{0,12}".prop_map(Value::from),
        Just(Value::from("2026-12-01T00:00:00.5+01:00")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            vec((member_name(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Names that the shipped policies know, and others.
fn member_name() -> impl Strategy<Value = String> {
    let known = [
        "amount",
        "currency",
        "riskBand",
        "openDisputes",
        "reviewedAt",
        "orderId",
        "line",
        "lines",
        "paid",
        "purchasedAt",
        "reason",
        "chargeback",
        "client_ts",
        "sku",
        "quantity",
        "available",
    ];
    prop_oneof![4 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => ".{0,6}"]
}

fn any_facts() -> impl Strategy<Value = Object> {
    vec((member_name(), any_value()), 0..8).prop_map(|members| members.into_iter().collect())
}

fn date_time() -> impl Strategy<Value = String> {
    (
        1970..2100_u16,
        1..=12_u8,
        1..=28_u8,
        0..24_u8,
        0..60_u8,
        0..60_u8,
        "(\\.[0-9]{1,9})?",
        "(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])",
    )
        .prop_map(
            |(year, month, day, hour, minute, second, fraction, offset)| {
                format!(
                    "{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{offset}"
                )
            },
        )
}

/// Facts that meet the schema of `credit-limit`.
fn credit_facts() -> impl Strategy<Value = Object> {
    let amount = prop_oneof![0..10_000_000_i64, 0..=i64::MAX];
    let currency = proptest::option::of(proptest::sample::select(vec!["USD", "EUR", "GBP", "XXX"]));
    let band = proptest::option::of(proptest::sample::select(vec!["low", "standard", "high"]));
    (
        amount,
        currency,
        band,
        0..5_i64,
        proptest::option::of(date_time()),
        proptest::option::of(".{0,8}"),
    )
        .prop_map(|(amount, currency, band, disputes, reviewed, memo)| {
            let mut facts = object([
                ("amount", Value::from(amount)),
                ("openDisputes", Value::from(disputes)),
            ]);
            let optional = [
                ("currency", currency.map(str::to_owned)),
                ("riskBand", band.map(str::to_owned)),
                ("reviewedAt", reviewed),
                ("memo", memo),
            ];
            for (name, value) in optional {
                if let Some(value) = value {
                    facts.insert(name, value);
                }
            }
            facts
        })
}

/// Facts that meet the schema of `inventory-reservation`.
fn inventory_facts() -> impl Strategy<Value = Object> {
    let line = ("[a-z]{1,8}", 1..100_i64, 0..100_i64, any::<bool>()).prop_map(
        |(sku, quantity, available, hazardous)| {
            Value::from(object([
                ("sku", Value::from(sku)),
                ("quantity", Value::from(quantity)),
                ("available", Value::from(available)),
                ("hazardous", Value::from(hazardous)),
            ]))
        },
    );
    ("[A-Z]-[0-9]{1,5}", any::<bool>(), vec(line, 1..30)).prop_map(|(order, partial, lines)| {
        object([
            ("orderId", Value::from(order)),
            ("allowPartial", Value::from(partial)),
            ("lines", Value::Array(lines)),
        ])
    })
}

/// Decides twice, in sets that were compiled apart; all of it must be the same, byte for byte.
fn same_decision(
    sets: &[PolicySet; 2],
    name: &str,
    number: u32,
    facts: &Object,
    now: i64,
) -> Result<(), TestCaseError> {
    let [first, second] = sets.each_ref().map(|set| {
        let policy = policy(set, name, number);
        let normal = policy.normalise(facts)?;
        let evaluation = policy.evaluate(&normal, &subject(), now);
        Ok((normal, evaluation))
    });
    let (first, second): (Result<_, decide_once_policy::FactsInvalid>, _) = (first, second);
    prop_assert_eq!(&first, &second);
    if let (Ok((normal, one)), Ok((_, two))) = (&first, &second) {
        prop_assert_eq!(rendered(one), rendered(two));
        // What is normal stays as it is.
        let again = policy(&sets[0], name, number).normalise(normal.facts());
        prop_assert_eq!(
            again.unwrap().identity().canonical(),
            normal.identity().canonical()
        );
    }
    Ok(())
}

/// The bytes of a decision: equal values in another order would be another answer.
fn rendered(evaluation: &Evaluation) -> String {
    match evaluation {
        Evaluation::Decided {
            rule,
            outcome,
            events,
            ..
        } => {
            let events: Vec<String> = events.iter().map(|event| event.data.to_json()).collect();
            format!("{rule} {} {events:?}", outcome.to_json())
        }
        Evaluation::Failed { code, detail } => format!("{code:?} {detail}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_facts_are_refused_or_decided_the_same_way_every_time(facts in vec(any_facts(), 8), now in any::<i64>()) {
        let sets = &*SETS;
        for facts in &facts {
            same_decision(sets, "credit-limit", 3, facts, now)?;
            same_decision(sets, "inventory-reservation", 1, facts, now)?;
            // Its identity excludes a member, so what is normal may lack what the schema asks for: not for `same_decision`'s last step.
            let refund = policy(&sets[0], "refund-approval", 1);
            if let Ok(normal) = refund.normalise(facts) {
                let _ = refund.evaluate(&normal, &subject(), now);
            }
        }
    }

    #[test]
    fn facts_that_meet_the_schema_are_always_evaluated(credit in vec(credit_facts(), 8), inventory in vec(inventory_facts(), 8), now in 0..4_102_444_800_000_i64) {
        let sets = &*SETS;
        for facts in &credit {
            prop_assert!(policy(&sets[0], "credit-limit", 3).normalise(facts).is_ok());
            same_decision(sets, "credit-limit", 3, facts, now)?;
        }
        for facts in &inventory {
            let evaluation = policy(&sets[0], "inventory-reservation", 1);
            let evaluation = evaluation.evaluate(&evaluation.normalise(facts).unwrap(), &subject(), now);
            prop_assert!(matches!(evaluation, Evaluation::Decided { .. }), "every order has an answer: {evaluation:?}");
            same_decision(sets, "inventory-reservation", 1, facts, now)?;
        }
    }

    #[test]
    fn mangled_policy_files_are_refused_without_a_panic(at in 0..4000_usize, removed in 0..40_usize, inserted in "[-{}\\[\\]:&*!|>'\"%@`\\x00-\\xff $()a-z0-9\n]{0,12}") {
        let text = include_str!("../../../../policies/credit-limit/3.yaml");
        let characters: Vec<char> = text.chars().collect();
        let at = at.min(characters.len());
        let end = (at + removed).min(characters.len());
        let mangled: String = characters[..at].iter().copied().chain(inserted.chars()).chain(characters[end..].iter().copied()).collect();
        let set = PolicySet::from_files([(id("credit-limit"), version(3), mangled.into_bytes())], b"credit-limit: 3").unwrap();
        let _ = set.check(&decide_once_policy::Lock::default());
    }
}

#[test]
fn a_hostile_file_is_refused_early() {
    let nines = "9".repeat(400_000);
    let wide = (0..100_000)
        .map(|n| format!("k{n}: 1\n"))
        .collect::<String>();
    let bomb: String = std::iter::once("a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned())
        .chain((1..30).map(|n| {
            format!(
                "a{n}: &a{n} [*a{p},*a{p},*a{p},*a{p},*a{p},*a{p},*a{p},*a{p}]\n",
                p = n - 1
            )
        }))
        .collect();
    let hostile: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"\0".to_vec(),
        b"\xff\xfe".to_vec(),
        b"policy: \xc0\xaf".to_vec(),
        "[".repeat(500_000).into_bytes(),
        "- ".repeat(250_000).into_bytes(),
        "{a: ".repeat(120_000).into_bytes(),
        "a:\n ".repeat(100_000).into_bytes(),
        format!("policy: {nines}").into_bytes(),
        format!("version: {nines}").into_bytes(),
        format!("policy: \"{}", "\\u0041".repeat(80_000)).into_bytes(),
        bomb.into_bytes(),
        wide.into_bytes(),
        vec![b'a'; 10 * 1024 * 1024],
        b"policy: p\n---\n".repeat(30_000),
        "? ".repeat(200_000).into_bytes(),
        "!".repeat(400_000).into_bytes(),
    ];
    for bytes in hostile {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(24)]).into_owned();
        let set = PolicySet::from_files([(id("p"), version(1), bytes)], b"p: 1").unwrap();
        let refused = set.get(&id("p"), version(1)).unwrap_err().to_string();
        assert!(
            refused.len() < 2_000,
            "{shown}: a message of {} bytes",
            refused.len()
        );
    }
}

#[test]
fn a_policy_has_at_most_as_many_rules_and_events_as_a_transaction_takes() {
    let rule = |n| format!("  - {{ id: r{n}, when: 'true', then: {{ decision: approve }} }}\n");
    let event = |n| format!("  - {{ type: com.example.e{n} }}\n");
    let text = |rules: usize, events: usize| {
        format!(
            "policy: p\nversion: 1\ninput: {{ type: object, properties: {{ a: {{ type: string }} }} }}\nunique: {{ a: [/a] }}\nretention: {{ result: 24h, key: 72h, decision: 400d }}\nrules:\n{}events:\n{}",
            (0..rules).map(rule).collect::<String>(),
            (0..events).map(event).collect::<String>()
        )
    };
    let refused = |rules, events| {
        let set = set_of(&[("p", 1, &text(rules, events))], "p: 1");
        set.get(&id("p"), version(1))
            .err()
            .map(|error| error.to_string())
    };
    assert_eq!(refused(500, 97), None);
    assert!(refused(501, 1).unwrap().contains("from 1 to 500 rules"));
    assert!(refused(1, 98).unwrap().contains("together at most 98"));
}

/// The largest facts and conditions at the edge of the bounds (each alone is nearly refused), in a debug build beside other work:
/// far slower than in a Lambda, and still no more than a moment.
#[test]
fn the_worst_policy_within_the_bounds_takes_bounded_time_on_the_largest_facts() {
    let numbers = (0..1_000)
        .map(|n| n.to_string())
        .collect::<Vec<_>>()
        .join(",");
    let long = "x".repeat(60_000);
    let small = vec![r#"{"a":[]}"#; 7_000].join(",");
    for (condition, times, facts) in [
        (
            "facts.numbers.all(n, n * 3 + 1 - n % 7 >= 0 && n < 5000)",
            8,
            format!(r#"{{"numbers":[{numbers}]}}"#),
        ),
        (
            "size(facts.numbers.map(n, {'a': n, 'b': [n, n]})) > 0",
            6,
            format!(r#"{{"numbers":[{numbers}]}}"#),
        ),
        (
            "!(facts.text + facts.text).contains('xy')",
            60,
            format!(r#"{{"text":"{long}"}}"#),
        ),
        (
            "facts.any == facts.any",
            10,
            format!(r#"{{"any":[{small}]}}"#),
        ),
    ] {
        let rules: String = (0..times)
            .map(|n| {
                format!(
                    "  - {{ id: r{n}, when: \"!({condition})\", then: {{ decision: refer }} }}\n"
                )
            })
            .collect();
        let text = format!(
            "policy: p\nversion: 1\ninput:\n  type: object\n  properties:\n    text: {{ type: string }}\n    any: {{}}\n    numbers: {{ type: array, maxItems: 1000, items: {{ type: integer }} }}\nretention: {{ result: 24h, key: 72h, decision: 400d }}\nrules:\n{rules}  - {{ id: last, when: 'true', then: {{ decision: approve }} }}\n"
        );
        let set = set_of(&[("p", 1, &text)], "p: 1");
        let policy = policy(&set, "p", 1);
        let normal = policy.normalise(&crate::support::facts(&facts)).unwrap();
        let start = std::time::Instant::now();
        let evaluation = policy.evaluate(&normal, &subject(), 0);
        assert!(
            matches!(evaluation, Evaluation::Decided { .. }),
            "{condition}: {evaluation:?}"
        );
        assert!(
            start.elapsed() < std::time::Duration::from_secs(10),
            "{condition} took {:?}",
            start.elapsed()
        );
    }
}

#[test]
fn facts_as_deep_as_json_may_be_are_carried_but_not_copied_into_an_outcome_that_nobody_could_read()
{
    let text = "policy: p\nversion: 1\ninput: { type: object, properties: { deep: {}, copy: { type: boolean } } }\nretention: { result: 24h, key: 72h, decision: 400d }\nrules:\n  - { id: copied, when: has(facts.copy), then: { copy: '${facts.deep}' } }\n  - { id: carried, when: has(facts.deep), then: { decision: approve } }\n";
    let set = set_of(&[("p", 1, text)], "p: 1");
    let policy = policy(&set, "p", 1);
    let deep = format!("{}{}", "[".repeat(63), "]".repeat(63));
    let decide = |text: &str| {
        policy.evaluate(
            &policy.normalise(&crate::support::facts(text)).unwrap(),
            &subject(),
            0,
        )
    };
    let carried = decide(&format!(r#"{{"deep":{deep}}}"#));
    assert!(matches!(carried, Evaluation::Decided { .. }), "{carried:?}");
    let copied = decide(&format!(r#"{{"copy":true,"deep":{deep}}}"#));
    let Evaluation::Failed { detail, .. } = copied else {
        panic!("{copied:?}")
    };
    assert!(
        detail.ends_with("the result is nested too deep"),
        "{detail}"
    );
}
