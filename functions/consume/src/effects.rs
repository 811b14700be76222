//! Which effect an event has: one table, by the events of the shipped policies.

use decide_once_protocol::inbox::CloudEvent;
use decide_once_protocol::json::Value;
use decide_once_protocol::time::Timestamp;
use decide_once_service::consume::EffectError;

/// What an event of a kind does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One more decision, and what stands from now on, unless something newer does.
    Stands {
        /// Where the decision is.
        decision: &'static str,
    },
    /// That much more.
    Adds {
        /// Of what.
        sum: &'static str,
        /// Where its unit is, if it has one.
        unit: Option<&'static str>,
        /// How much.
        amount: Amount,
    },
    /// A person is asked, elsewhere.
    AsksForReview,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Amount {
    /// The number there.
    Of(&'static str),
    /// The sum of this member over the list there.
    Total(&'static str, &'static str),
    /// How long the list there is.
    Count(&'static str),
}

/// The table. What is not here is not this consumer's.
const EFFECTS: [(&str, Kind); 6] = [
    (
        "com.example.credit-limit.decided",
        Kind::Stands {
            decision: "/decision",
        },
    ),
    (
        "com.example.credit-limit.review-requested",
        Kind::AsksForReview,
    ),
    (
        "com.example.refund.approved",
        Kind::Adds {
            sum: "refunded",
            unit: Some("/refund/currency"),
            amount: Amount::Of("/refund/amount"),
        },
    ),
    ("com.example.refund.review-requested", Kind::AsksForReview),
    (
        "com.example.inventory.reserved",
        Kind::Adds {
            sum: "reserved",
            unit: None,
            amount: Amount::Total("/lines", "/quantity"),
        },
    ),
    (
        "com.example.inventory.backordered",
        Kind::Adds {
            sum: "backordered",
            unit: None,
            amount: Amount::Count("/missing"),
        },
    ),
];

/// The sum of decisions.
const DECIDED: &str = "decided";

/// The longest unit or decision that is taken: each becomes a part of an item.
const LONGEST: usize = 64;

/// An effect on the account of an event's subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Relative: this sum grows. Safe because it is one transaction with the mark.
    Add {
        /// `refunded:EUR`, `reserved`, …
        sum: String,
        /// By how much.
        by: i64,
    },
    /// Absolute: this stands, unless something newer does, and a sum grows by one. Safe by compare-and-set.
    Stand {
        /// `decided`.
        sum: String,
        /// What stands.
        decision: String,
        /// Since when; of two events the later one counts, whichever comes first.
        since: Timestamp,
    },
    /// Elsewhere: safe by the key that the other side knows a repetition by.
    Review,
}

/// The effect of an event; `None` if it is not this consumer's.
///
/// # Errors
/// The event is one of these and cannot be what its policy makes: it will never have an effect. Never its content.
pub fn of(event: &CloudEvent) -> Result<Option<Effect>, EffectError> {
    let Some((_, kind)) = EFFECTS.iter().find(|(name, _)| *name == event.kind) else {
        return Ok(None);
    };
    if event.subject.is_none() {
        return Err(poison("it has no subject"));
    }
    let data = &event.data;
    let effect = match *kind {
        Kind::AsksForReview => Effect::Review,
        Kind::Stands { decision } => Effect::Stand {
            sum: DECIDED.to_owned(),
            decision: text(data, decision)?.to_owned(),
            since: event.time.ok_or_else(|| poison("it has no time"))?,
        },
        Kind::Adds { sum, unit, amount } => Effect::Add {
            sum: match unit {
                Some(unit) => format!("{sum}:{}", text(data, unit)?),
                None => sum.to_owned(),
            },
            by: amount.of(data)?,
        },
    };
    Ok(Some(effect))
}

impl Amount {
    fn of(self, data: &Value) -> Result<i64, EffectError> {
        let amount = match self {
            Self::Of(at) => whole(data, at),
            Self::Count(list) => {
                list_at(data, list).and_then(|list| i64::try_from(list.len()).ok())
            }
            Self::Total(list, member) => list_at(data, list).and_then(|list| {
                let mut each = list.iter().map(|item| whole(item, member));
                each.try_fold(0_i64, |sum, amount| sum.checked_add(amount?))
            }),
        };
        // A sum that shrinks is no sum of what was decided.
        amount
            .filter(|amount| *amount >= 0)
            .ok_or_else(|| poison("its data has no amount where it should be"))
    }
}

fn whole(value: &Value, at: &str) -> Option<i64> {
    value.pointer(at)?.as_number()?.as_i64()
}

fn list_at<'a>(data: &'a Value, at: &str) -> Option<&'a [Value]> {
    data.pointer(at)?.as_array()
}

/// A short text without anything that a name in an item should not have.
fn text<'a>(data: &'a Value, at: &str) -> Result<&'a str, EffectError> {
    let text = data.pointer(at).and_then(Value::as_str);
    text.filter(|text| {
        (1..=LONGEST).contains(&text.len())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    })
    .ok_or_else(|| poison("its data has no name where it should be"))
}

fn poison(why: &str) -> EffectError {
    EffectError::Poison(why.to_owned())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::collections::BTreeSet;
    use std::path::Path;

    use decide_once_policy::PolicySet;

    use super::*;

    fn event(kind: &str, data: &str) -> CloudEvent {
        let text = format!(
            r#"{{"specversion":"1.0","id":"e.0","source":"urn:decide-once:t-alpha","type":"{kind}","subject":"acct-42","time":"2026-12-01T00:00:00Z","data":{data}}}"#
        );
        CloudEvent::parse(&text).unwrap()
    }

    fn effect(kind: &str, data: &str) -> Effect {
        of(&event(kind, data)).unwrap().unwrap()
    }

    #[test]
    fn each_kind_has_its_effect() {
        assert_eq!(
            effect(
                "com.example.refund.approved",
                r#"{"orderId":"A-1","line":1,"refund":{"amount":1999,"currency":"EUR","partial":false}}"#
            ),
            Effect::Add {
                sum: "refunded:EUR".to_owned(),
                by: 1999
            }
        );
        assert_eq!(
            effect(
                "com.example.inventory.reserved",
                r#"{"orderId":"A-1","lines":[{"sku":"tea","quantity":2},{"sku":"cup","quantity":1}]}"#
            ),
            Effect::Add {
                sum: "reserved".to_owned(),
                by: 3
            }
        );
        assert_eq!(
            effect(
                "com.example.inventory.backordered",
                r#"{"missing":["tea","cup"]}"#
            ),
            Effect::Add {
                sum: "backordered".to_owned(),
                by: 2
            }
        );
        assert_eq!(
            effect(
                "com.example.credit-limit.decided",
                r#"{"decision":"approve"}"#
            ),
            Effect::Stand {
                sum: "decided".to_owned(),
                decision: "approve".to_owned(),
                since: Timestamp::from_millis(1_796_083_200_000).unwrap(),
            }
        );
        assert_eq!(
            effect("com.example.refund.review-requested", "{}"),
            Effect::Review
        );
        assert_eq!(of(&event("com.example.other", "{}")), Ok(None));
    }

    #[test]
    fn an_event_that_its_policy_cannot_have_made_is_poison() {
        for (kind, data) in [
            ("com.example.refund.approved", "{}"),
            (
                "com.example.refund.approved",
                r#"{"refund":{"amount":-5,"currency":"EUR"}}"#,
            ),
            (
                "com.example.refund.approved",
                r#"{"refund":{"amount":1.5,"currency":"EUR"}}"#,
            ),
            (
                "com.example.refund.approved",
                r#"{"refund":{"amount":5,"currency":"€ and more"}}"#,
            ),
            (
                "com.example.inventory.reserved",
                r#"{"lines":[{"quantity":1},{}]}"#,
            ),
            ("com.example.credit-limit.decided", r#"{"decision":""}"#),
            (
                "com.example.inventory.reserved",
                r#"{"lines":[{"quantity":9223372036854775807},{"quantity":1}]}"#,
            ),
            (
                "com.example.inventory.reserved",
                r#"{"lines":[{"quantity":9223372036854775807},{"quantity":9223372036854775807},{"quantity":7}]}"#,
            ),
        ] {
            let refused = of(&event(kind, data)).unwrap_err();
            assert!(matches!(refused, EffectError::Poison(_)), "{kind} {data}");
        }
        let mut without_subject = event("com.example.refund.review-requested", "{}");
        without_subject.subject = None;
        assert!(of(&without_subject).is_err());
    }

    /// Found by the fuzzer: a sum that wraps around is a small amount that nobody decided.
    #[test]
    fn quantities_whose_sum_no_number_holds_are_poison() {
        let quantity = i64::MAX.to_string();
        let line = format!(r#"{{"quantity":{quantity}}}"#);
        let lines = format!(r#"{{"lines":[{line},{line},{{"quantity":3}}]}}"#);
        let refused = of(&event("com.example.inventory.reserved", &lines)).unwrap_err();
        assert!(matches!(refused, EffectError::Poison(_)));
    }

    /// A policy whose events have no effect here would go unnoticed.
    #[test]
    fn every_event_of_the_shipped_policies_is_in_the_table_and_no_other() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies");
        let policies = PolicySet::load(&directory).unwrap();
        let documents = policies
            .list()
            .map(|listed| policies.document(listed.id, listed.version).unwrap());
        let made: BTreeSet<String> = documents
            .flat_map(|document| {
                let events = list_at(&document, "/events").unwrap().to_vec();
                events.into_iter().map(|event| {
                    let kind = event.pointer("/type").and_then(Value::as_str);
                    kind.unwrap().to_owned()
                })
            })
            .collect();
        let known: BTreeSet<String> = EFFECTS.iter().map(|(kind, _)| (*kind).to_owned()).collect();
        assert_eq!(known, made);
    }
}
