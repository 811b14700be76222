//! What a person sees once the stack is up: something to paste, taken from the policies that it serves.

use decide_once_policy::PolicySet;
use decide_once_protocol::json::{Value, object};
use uuid::Uuid;

use crate::front::Auth;

/// A request that an active policy decides.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    policy: String,
    version: u32,
    facts: Value,
}

impl Sample {
    /// The first example with an outcome of the first active policy that has one. Not of a policy with natural keys, which a stack
    /// with `--data` would decide once and then never again.
    pub(crate) fn of(policies: &PolicySet) -> Option<Self> {
        let mut active = policies.list().filter(|listed| listed.active);
        active.find_map(|listed| {
            let document = policies.document(listed.id, listed.version).ok()?;
            let examples = document.pointer("/examples")?.as_array()?;
            let decided = examples
                .iter()
                .find(|example| example.pointer("/expect").is_some())?;
            let facts = decided.pointer("/facts")?.clone();
            document.pointer("/unique").is_none().then(|| Self {
                policy: listed.id.to_string(),
                version: listed.version.get(),
                facts,
            })
        })
    }

    fn body(&self, subject: &str) -> String {
        let body = object([
            ("policy", Value::from(self.policy.as_str())),
            ("version", Value::from(self.version)),
            ("subject", Value::from(subject)),
            ("facts", self.facts.clone()),
        ]);
        // Between single quotes a shell takes everything but a single quote for what it is.
        body.to_json().replace('\'', r"'\''")
    }
}

/// The first line is for programs as well: `ready <url>`. Where a token is required the lines have one.
pub(crate) fn text(url: &str, auth: Auth, sample: Option<&Sample>) -> String {
    let token = match auth {
        Auth::Optional => "",
        Auth::Required => "-H 'Authorization: Bearer tok-alpha' ",
    };
    let Some(sample) = sample else {
        return format!(
            "ready {url}\n\nWhat can be asked for: curl {token}{url}/v1/policies (no active policy has an example of its own)\n\n"
        );
    };
    // A fresh key, since a stack with `--data` remembers the last one.
    let key = Uuid::new_v4();
    let post = |subject: &str| {
        let body = sample.body(subject);
        format!(
            "curl -i {url}/v1/decisions -H 'Content-Type: application/json' -H 'Idempotency-Key: {key}' {token}-d '{body}'"
        )
    };
    format!(
        "ready {url}\n\n\
         A decision (201); the same again is the recorded answer (200); for somebody else under the same key it is refused (409):\n\n\
         {}\n{}\n{}\n\n",
        post("acct-42"),
        post("acct-42"),
        post("acct-43"),
    )
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::path::Path;

    use decide_once_protocol::request::{PolicyId, PolicyVersion};

    use super::*;

    const URL: &str = "http://127.0.0.1:3000";

    fn shipped() -> Option<Sample> {
        let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies");
        Sample::of(&PolicySet::load(&policies).unwrap())
    }

    fn curls(text: &str) -> Vec<&str> {
        text.lines()
            .filter(|line| line.starts_with("curl "))
            .collect()
    }

    #[test]
    fn three_lines_to_paste_follow_the_ready_line() {
        let text = text(URL, Auth::Optional, shipped().as_ref());
        assert_eq!(text.lines().next(), Some("ready http://127.0.0.1:3000"));
        let curls = curls(&text);
        assert_eq!(curls.len(), 3);
        assert_eq!(curls[0], curls[1]);
        assert_ne!(curls[1], curls[2]);
        assert!(curls[0].ends_with(
            r#"-d '{"policy":"credit-limit","version":3,"subject":"acct-42","facts":{"amount":12500,"currency":"USD"}}'"#
        ));
    }

    #[test]
    fn where_a_token_is_required_the_lines_have_one() {
        let text = text(URL, Auth::Required, shipped().as_ref());
        assert!(
            curls(&text)
                .iter()
                .all(|line| line.contains("'Authorization: Bearer tok-alpha'"))
        );
    }

    #[test]
    fn the_lines_are_of_what_is_active_and_can_be_decided_again() {
        let policy = |id: &str, more: &str| {
            let text = format!(
                "policy: {id}\nversion: 1\ninput: {{ type: object, required: [who], properties: {{ who: {{ type: string, maxLength: 9 }} }} }}\n{more}\
                 retention: {{ result: 24h, key: 72h, decision: 400d }}\nrules: [{{ id: all, when: \"facts.who != ''\", then: {{ yes: true }} }}]\n\
                 examples:\n  - {{ facts: {{ who: '' }}, fails: no-rule-matched }}\n  - {{ facts: {{ who: \"o'neil\" }}, expect: {{ yes: true }} }}\n"
            );
            let version = PolicyVersion::new(1).unwrap();
            (PolicyId::parse(id).unwrap(), version, text.into_bytes())
        };
        let files = || {
            let unique = policy("a-unique", "unique: { who: [/who] }\n");
            [unique, policy("b-packaged", ""), policy("c-active", "")]
        };
        let sample = |active: &str| {
            let policies = PolicySet::from_files(files(), active.as_bytes()).unwrap();
            Sample::of(&policies)
        };
        let text = text(
            URL,
            Auth::Optional,
            sample("a-unique: 1\nc-active: 1\n").as_ref(),
        );
        assert!(
            curls(&text)[0].ends_with(
                r#"-d '{"policy":"c-active","version":1,"subject":"acct-42","facts":{"who":"o'\''neil"}}'"#
            ),
            "{text}"
        );
        let none = super::text(URL, Auth::Optional, sample("a-unique: 1\n").as_ref());
        assert!(none.starts_with("ready http://127.0.0.1:3000\n") && none.contains("/v1/policies"));
    }
}
