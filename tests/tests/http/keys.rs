//! The `Idempotency-Key` header.

use decide_once_tests::{Request, Stack, shared::SharedStack};

use crate::support::{B0, asked, bad, created, fresh_key, still_free};

static STACK: SharedStack = SharedStack::new(&["--concurrency", "2"]);

/// A POST without a key yet.
fn keyless(stack: &Stack) -> Request {
    stack.post("/v1/decisions").token("tok-alpha").json_text(B0)
}

async fn invalid(stack: &Stack, key: impl AsRef<[u8]>) {
    let answer = keyless(stack).header("idempotency-key", key).send().await;
    bad(answer, "key-invalid");
}

#[tokio::test]
async fn h01_missing_empty_and_blank_keys() {
    // Its own stack: nothing may reach the store.
    let stack = Stack::start(&["--concurrency", "1"]).await;
    for _ in 0..2 {
        bad(keyless(&stack).send().await, "key-missing");
        for blank in ["", r#""   ""#, r#""""#] {
            invalid(&stack, blank).await;
        }
    }
    assert_eq!(asked(&stack).await, serde_json::json!({}));
}

#[tokio::test]
async fn h02_over_long_keys() {
    let stack = STACK.get().await;
    // Neither compressible nor the same as another test's.
    let random: String = (0..8192_u32)
        .map(|index| {
            let mixed = index.wrapping_mul(2_654_435_761) >> 26;
            char::from(
                b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[mixed as usize],
            )
        })
        .collect();
    for characters in [random, "a".repeat(8192)] {
        for allowed in [1, 255] {
            created(keyless(&stack).key(&characters[..allowed]).send().await);
        }
        for too_long in [256, 2048, 8192] {
            invalid(&stack, &characters[..too_long]).await;
        }
    }
    // Cut off at 255 they would be one key.
    for last in ["x", "y"] {
        invalid(&stack, format!("{}{last}", "b".repeat(299))).await;
    }
    still_free(&stack, &"b".repeat(255)).await;
}

#[tokio::test]
async fn h04_quoted_and_bare() {
    let stack = STACK.get().await;
    let key = fresh_key();
    let first = created(keyless(&stack).key(&format!("\"{key}\"")).send().await);
    first.replayed_by(keyless(&stack).key(&key).send().await);
    first.replayed_by(keyless(&stack).key(&format!("  {key}\t")).send().await);
    for refused in [
        format!("\"{key}\";v=2"),
        format!("\"{key}"),
        ":YWJj:".to_owned(),
        "?1".to_owned(),
        format!("\"{key}\", \"abc-2\""),
        format!("{key}, abc-2"),
        "abc 1".to_owned(),
        "abc,1".to_owned(),
    ] {
        invalid(&stack, &refused).await;
    }
    // An escape is decoded once.
    let escaped = created(keyless(&stack).key(r#""a\"b\\c""#).send().await);
    let body = escaped.answer.json();
    assert_eq!(body["idempotencyKey"], r#"a"b\c"#);
    // Case matters.
    let upper = created(keyless(&stack).key(&key.to_uppercase()).send().await);
    assert_ne!(upper.decision, first.decision);
}

#[tokio::test]
async fn h05_header_sent_twice() {
    let stack = STACK.get().await;
    let (key, other) = (fresh_key(), fresh_key());
    for second in [&key, &other] {
        let twice = keyless(&stack).key(&key).key(second);
        bad(twice.send().await, "key-invalid");
    }
    let first = created(keyless(&stack).key(&key).send().await);
    first.replayed_by(keyless(&stack).key(&key).send().await);
    still_free(&stack, &other).await;
}

#[tokio::test]
async fn h09_control_and_non_ascii_characters_in_the_key() {
    let stack = Stack::start(&["--concurrency", "1"]).await;
    for refused in [
        &b"\"a\tb\""[..],
        "\"na\u{ef}ve\"".as_bytes(),
        b"\"na\xefve\"",
        "na\u{ef}ve".as_bytes(),
    ] {
        invalid(&stack, refused).await;
    }
    let mut decisions = Vec::new();
    for harmless in ["\"a#b|c-h09\"", "\"../../t-beta-h09\"", "\"{{x-h09}}\""] {
        let answer = keyless(&stack).key(harmless).send().await;
        let created = created(answer);
        let read = stack
            .get(&format!("/v1/operations/{}", created.operation))
            .token("tok-alpha")
            .send()
            .await
            .expect(200);
        assert!(!String::from_utf8_lossy(&read.body).contains("h09"));
        decisions.push(created.decision);
    }
    decisions.dedup();
    assert_eq!(decisions.len(), 3);
    // Each call has its log line by then, since lines come before answers.
    decide_once_tests::eventually("three log lines", async || {
        let lines = stack.output().matches("\"outcome\":\"decided\"").count();
        (lines == 3).then_some(())
    })
    .await;
    let printed = stack.output();
    for secret in ["h09", "acct-42", "12500\"", "tok-alpha"] {
        let logged = printed.lines().filter(|line| line.starts_with('['));
        assert!(
            !logged.into_iter().any(|line| line.contains(secret)),
            "{secret}"
        );
    }
    let metrics = stack.metrics().await.to_string();
    assert!(!metrics.contains("h09"), "{metrics}");
}
