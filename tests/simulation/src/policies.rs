//! The policies of the simulation: quick to evaluate, and such that an answer shows whose request it answers and when it was made.

use std::sync::LazyLock;
use std::time::Duration;

use decide_once_policy::PolicySet;
use decide_once_tests::fixtures::policies;

/// How long results are kept.
pub(crate) const RESULT: Duration = Duration::from_secs(30 * 60);

/// How long keys are; the shortest that a policy may say.
pub(crate) const KEY: Duration = Duration::from_secs(60 * 60);

/// The event whose amount is added to an account.
pub(crate) const DECIDED: &str = "com.example.decided";

/// The event that is counted.
pub(crate) const COUNTED: &str = "com.example.counted";

fn text(policy: &str, version: u32, unique: &str) -> String {
    format!(
        "policy: {policy}
version: {version}
input:
  type: object
  required: [amount, kind]
  properties:
    amount: {{ type: integer, minimum: 0 }}
    kind: {{ type: string, enum: [plain, unmatched, broken] }}
    order: {{ type: string, minLength: 1, maxLength: 20 }}
{unique}retention: {{ result: 30m, key: 1h, decision: forever }}
rules:
  - {{ id: broken, when: facts.kind == \"broken\" && 1 / (facts.amount - facts.amount) > 0, then: {{ decision: decline }} }}
  - {{ id: plain, when: facts.kind == \"plain\", then: {{ decision: approve, under: {version}, amount: \"${{facts.amount}}\", at: \"${{now}}\" }} }}
events:
  - {{ type: {DECIDED}, when: 'true', data: {{ amount: \"${{facts.amount}}\", under: {version} }} }}
  - {{ type: {COUNTED}, when: facts.amount % 3 == 0, data: {{ amount: \"${{facts.amount}}\" }} }}
"
    )
}

/// Versions 1 and 2 of both policies, of which 1 is active in the first and 2 in the second.
static RELEASES: LazyLock<[PolicySet; 2]> = LazyLock::new(|| {
    let unique = "unique: { order: [/order] }\n";
    let plain = [text("plain", 1, ""), text("plain", 2, "")];
    let order = [text("order", 1, unique), text("order", 2, unique)];
    let files = [
        ("plain", 1, plain[0].as_str()),
        ("plain", 2, &plain[1]),
        ("order", 1, &order[0]),
        ("order", 2, &order[1]),
    ];
    [1, 2].map(|active| policies(&files, &format!("plain: {active}\norder: {active}")))
});

/// What a worker of a release has. Compiled once for all simulations.
pub(crate) fn release(second: bool) -> PolicySet {
    RELEASES[usize::from(second)].clone()
}
