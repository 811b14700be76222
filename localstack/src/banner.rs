//! What a person sees once the stack is up: something to paste.

use uuid::Uuid;

use crate::front::Auth;

/// The first line is for programs as well: `ready <url>`. Where a token is required the lines have one.
pub(crate) fn text(url: &str, auth: Auth) -> String {
    let token = match auth {
        Auth::Optional => "",
        Auth::Required => "-H 'Authorization: Bearer tok-alpha' ",
    };
    // A fresh key, since a stack with `--data` remembers the last one.
    let key = Uuid::new_v4();
    let post = |amount: u32| {
        format!(
            "curl -i {url}/v1/decisions -H 'Content-Type: application/json' -H 'Idempotency-Key: {key}' \
             {token}-d '{{\"policy\":\"credit-limit\",\"version\":3,\"subject\":\"acct-42\",\
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
        let text = text("http://127.0.0.1:3000", Auth::Optional);
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
    #[test]
    fn where_a_token_is_required_the_lines_have_one() {
        let text = text("http://127.0.0.1:3000", Auth::Required);
        let curls = text.lines().filter(|line| line.starts_with("curl "));
        assert!(
            curls
                .into_iter()
                .all(|line| line.contains("'Authorization: Bearer tok-alpha'"))
        );
    }
}
