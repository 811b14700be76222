//! What a person sees once the stack is up: something to paste.

use uuid::Uuid;

/// The first line is for programs as well: `ready <url>`.
pub(crate) fn text(url: &str) -> String {
    // A fresh key, since a stack with `--data` remembers the last one.
    let key = Uuid::new_v4();
    let post = |amount: u32| {
        format!(
            "curl -i {url}/v1/decisions -H 'Content-Type: application/json' -H 'Idempotency-Key: {key}' \
             -d '{{\"policy\":\"credit-limit\",\"version\":3,\"subject\":\"acct-42\",\
             \"facts\":{{\"amount\":{amount},\"currency\":\"USD\"}}}}'"
        )
    };
    format!(
        "ready {url}\n\n\
         A decision (201); the same again is the recorded answer (200); another amount under the same key is refused (409):\n\n\
         {}\n{}\n{}\n\n",
        post(12_500),
        post(12_500),
        post(99_900),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_lines_to_paste_follow_the_ready_line() {
        let text = text("http://127.0.0.1:3000");
        assert_eq!(text.lines().next(), Some("ready http://127.0.0.1:3000"));
        let curls: Vec<_> = text
            .lines()
            .filter(|line| line.starts_with("curl "))
            .collect();
        assert_eq!(curls.len(), 3);
        assert_eq!(curls[0], curls[1]);
        assert_ne!(curls[1], curls[2]);
        assert!(curls[0].ends_with(
            r#"-d '{"policy":"credit-limit","version":3,"subject":"acct-42","facts":{"amount":12500,"currency":"USD"}}'"#
        ));
    }
}
