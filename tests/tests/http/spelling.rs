//! One request, spelled in many ways, and requests that cannot be read in one way only.

use std::time::{Duration, Instant};

use decide_once_tests::{Stack, shared::SharedStack};

use crate::support::{B0, bad, created, fresh_key, mismatch, post, still_free, with_facts};

/// Two processes, so that a retry is often read by another one than the first request.
static STACK: SharedStack = SharedStack::new(&["--concurrency", "2"]);

/// Every other spelling is the same request.
async fn one_request(first: &str, spellings: &[&str]) {
    let stack = STACK.get().await;
    let key = fresh_key();
    let first = created(post(&stack, &key, first).send().await);
    for spelling in spellings {
        first.replayed_by(post(&stack, &key, *spelling).send().await);
    }
}

/// The body is refused, says why, and leaves its key free.
async fn refused(stack: &Stack, body: &[u8]) -> String {
    let key = fresh_key();
    let problem = bad(post(stack, &key, body).send().await, "body-invalid");
    still_free(stack, &key).await;
    problem["detail"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn c01_member_order_and_spacing() {
    one_request(
        B0,
        &["{ \"facts\" : {\"currency\" : \"USD\",\n \"amount\":12500 },\t\"subject\":\"acct-42\",\r\n\"policy\":\"credit-limit\"}"],
    )
    .await;
    let nested = with_facts(r#"{"amount":1,"memo":{"a":1,"b":{"c":[1,2],"d":2}}}"#);
    let reordered = with_facts(r#"{"memo":{"b":{"d":2,"c":[1,2]},"a":1},"amount":1}"#);
    one_request(&nested, &[&reordered]).await;

    let stack = STACK.get().await;
    let key = fresh_key();
    created(post(&stack, &key, nested.clone()).send().await);
    let array_reordered = nested.replace("[1,2]", "[2,1]");
    let pointers = mismatch(post(&stack, &key, array_reordered).send().await);
    assert_eq!(pointers, ["/facts/memo"]);
}

#[tokio::test]
async fn c02_escape_spelling() {
    let body = B0.replace("acct-42", r"a\\b/é");
    let escaped = B0.replace("acct-42", r"\u0061\u005Cb\/\u00e9");
    let name = body.replace(r#""subject""#, r#""\u0073ubject""#);
    one_request(&body, &[&escaped, &name]).await;
}

#[tokio::test]
async fn c04_negative_zero() {
    let zero = |spelled: &str| with_facts(&format!(r#"{{"amount":{spelled},"currency":"USD"}}"#));
    let spellings: Vec<_> = ["-0", "0.0", "-0.0", "0e5"].map(zero).into();
    let spellings: Vec<_> = spellings.iter().map(String::as_str).collect();
    one_request(&zero("0"), &spellings).await;
}

#[tokio::test]
async fn c06_floats_that_do_not_survive_a_round_trip_and_exponent_bombs() {
    let float = with_facts(r#"{"amount":1,"rate":1.5777777777770001}"#);
    one_request(&float, &[&float, &float, &float]).await;
    let stack = STACK.get().await;
    let key = fresh_key();
    created(post(&stack, &key, float.clone()).send().await);
    let neighbour = float.replace("1.5777777777770001", "1.5777777777770000");
    let pointers = mismatch(post(&stack, &key, neighbour).send().await);
    assert_eq!(pointers, ["/facts/rate"]);

    for bomb in ["1e1000000000", "-1e1000000000", "1e-400", "1e-1000000000"] {
        let body = B0.replace("12500", bomb);
        let start = Instant::now();
        refused(&stack, body.as_bytes()).await;
        // A number that was expanded would take minutes and gigabytes.
        assert!(start.elapsed() < Duration::from_secs(10), "{bomb}");
    }
}

#[tokio::test]
async fn c07_duplicate_member_names() {
    let stack = STACK.get().await;
    for facts in [
        r#"{"amount":1,"amount":999999,"currency":"USD"}"#,
        r#"{"amount":1,"memo":{"a":{"b":1,"b":1}}}"#,
        r#"{"amount":1,"\u0061mount":999999}"#,
    ] {
        let detail = refused(&stack, with_facts(facts).as_bytes()).await;
        assert!(
            detail.contains("twice") || detail.contains("duplicate"),
            "{detail}"
        );
    }
    let at_the_top = B0.replace(r#""subject":"#, r#""policy":"other","subject":"#);
    refused(&stack, at_the_top.as_bytes()).await;
}

#[tokio::test]
async fn c09_raw_invalid_utf8() {
    let stack = STACK.get().await;
    for bytes in [&b"a\xffb"[..], b"\xc0\xaf", b"\xed\xa0\xbd"] {
        let mut body = Vec::new();
        for (index, part) in B0.split("acct-42").enumerate() {
            if index > 0 {
                body.extend_from_slice(bytes);
            }
            body.extend_from_slice(part.as_bytes());
        }
        let key = fresh_key();
        bad(post(&stack, &key, body).send().await, "body-invalid");
        // Not what a lossy reader would have made of it.
        let replacement = B0.replace("acct-42", "a\u{fffd}b");
        created(post(&stack, &key, replacement).send().await);
    }
}

#[tokio::test]
async fn c11_byte_order_mark() {
    let stack = STACK.get().await;
    let mut body = b"\xef\xbb\xbf".to_vec();
    body.extend_from_slice(B0.as_bytes());
    let detail = refused(&stack, &body).await;
    assert!(detail.contains("byte order mark"), "{detail}");
}

#[tokio::test]
async fn c12_trailing_data() {
    let stack = STACK.get().await;
    for trailing in ["}}}} junk", B0, "\0"] {
        refused(&stack, format!("{B0}{trailing}").as_bytes()).await;
    }
    one_request(B0, &[&format!("{B0}\n")]).await;
}

#[tokio::test]
async fn c16_key_sort_order_beyond_the_basic_plane() {
    let one = with_facts(r#"{"amount":1,"\ue000":1,"\ud83d\ude00":2}"#);
    let other = with_facts(r#"{"\ud83d\ude00":2,"\ue000":1,"amount":1}"#);
    let literal = with_facts("{\"\u{1f600}\":2,\"\u{e000}\":1,\"amount\":1}");
    one_request(&one, &[&other, &literal]).await;
}
