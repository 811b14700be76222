//! The policies of these tests: two versions that differ in everything a version may differ in.

use decide_once_policy::PolicySet;
use decide_once_tests::fixtures::policies;

/// USD unless said otherwise, `client_ts` is no part of the identity, any amount.
pub(crate) const LOAN_1: &str = "policy: loan
version: 1
input:
  type: object
  required: [amount]
  properties:
    amount: { type: integer, minimum: 0 }
    currency: { type: string, maxLength: 3, default: USD }
    due: { type: string, format: date-time, maxLength: 40 }
    client_ts: { type: string, maxLength: 40 }
    memo: { type: [string, 'null'], maxLength: 40 }
identity: { exclude: [/client_ts] }
retention: { result: 24h, key: 72h, decision: 400d }
rules:
  - { id: dollars, when: facts.currency == \"USD\", then: { decision: approve, under: 1, limit: \"${facts.amount}\" } }
events: [{ type: com.example.loan.decided, data: { under: 1 } }]
";

/// EUR unless said otherwise, `memo` is no part of the identity and `client_ts` is, small amounts only, every currency.
pub(crate) const LOAN_2: &str = "policy: loan
version: 2
input:
  type: object
  required: [amount]
  properties:
    amount: { type: integer, minimum: 0, maximum: 10000 }
    currency: { type: string, maxLength: 3, default: EUR }
    due: { type: string, maxLength: 40 }
    client_ts: { type: string, maxLength: 40 }
    memo: { type: [string, 'null'], maxLength: 40 }
identity: { exclude: [/memo] }
retention: { result: 1h, key: 2h, decision: 30d }
rules:
  - { id: all, when: 'true', then: { decision: approve, under: 2, limit: \"${facts.amount * 2}\" } }
events: [{ type: com.example.loan.decided, data: { under: 2 } }]
";

/// A deployment that has version 1 only.
pub(crate) fn first_release() -> PolicySet {
    policies(&[("loan", 1, LOAN_1)], "loan: 1")
}

/// A deployment that has both versions; this one is active.
pub(crate) fn release(active: u32) -> PolicySet {
    policies(
        &[("loan", 1, LOAN_1), ("loan", 2, LOAN_2)],
        &format!("loan: {active}"),
    )
}

/// A request for a decision under `loan` about `acct-42`, with these facts.
pub(crate) fn loan(facts: &str) -> String {
    format!(r#"{{"policy":"loan","subject":"acct-42","facts":{facts}}}"#)
}

/// The same, naming a version.
pub(crate) fn loan_under(version: u32, facts: &str) -> String {
    format!(r#"{{"policy":"loan","version":{version},"subject":"acct-42","facts":{facts}}}"#)
}
