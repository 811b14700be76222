//! Where two requests differ, without values.

use decide_once_protocol::members::{MAX_ENCODED_BYTES, MAX_MEMBERS, Members, UnreadableMembers};

use crate::support::{B0, request, with_amount, with_facts};

const SALT: &[u8] = b"a salt of the record's own";

/// The pointers that a later body gets, after the record went through the store.
fn differing(first: &str, later: &str) -> Vec<String> {
    let stored = Members::of(SALT, &request(first)).encode();
    assert!(stored.len() <= MAX_ENCODED_BYTES, "{} bytes", stored.len());
    assert!(stored.lines().count() <= MAX_MEMBERS);
    Members::decode(&stored)
        .unwrap()
        .differing(SALT, &request(later))
}

/// Facts with many members: `before0`, … of value 0, and what is given.
fn many(members: usize, more: &str) -> String {
    let facts: Vec<_> = (0..members)
        .map(|at| format!("\"member-{at:04}\":{at}"))
        .collect();
    with_facts(&format!("{{{}{more}}}", facts.join(",")))
}

#[test]
fn what_differs_is_named() {
    assert_eq!(differing(B0, &with_amount("12501")), ["/facts/amount"]);
    assert_eq!(
        differing(B0, &B0.replace("acct-42", "acct-43").replace("USD", "EUR")),
        ["/subject", "/facts/currency"]
    );
    assert_eq!(
        differing(B0, &B0.replace("credit-limit", "other")),
        ["/policy"]
    );
    assert_eq!(
        differing(B0, &with_facts("{}")),
        ["/facts/amount", "/facts/currency"]
    );
}

#[test]
fn c13_a_null_member_is_named_both_ways() {
    let with_null = with_facts(r#"{"amount":12500,"currency":"USD","memo":null}"#);
    assert_eq!(differing(B0, &with_null), ["/facts/memo"]);
    assert_eq!(differing(&with_null, B0), ["/facts/memo"]);
}

#[test]
fn h13_a_changed_timestamp_is_named() {
    let at = |second: u8| {
        with_facts(&format!(
            r#"{{"amount":1,"client_ts":"2026-12-01T00:00:0{second}Z"}}"#
        ))
    };
    assert_eq!(differing(&at(0), &at(2)), ["/facts/client_ts"]);
}

#[test]
fn a_version_that_is_pinned_changed_or_dropped_is_named() {
    let pinned =
        |version: u8| B0.replace(r#""subject""#, &format!(r#""version":{version},"subject""#));
    assert_eq!(differing(B0, &pinned(1)), ["/version"]);
    assert_eq!(differing(&pinned(1), &pinned(2)), ["/version"]);
    assert_eq!(differing(&pinned(1), B0), ["/version"]);
}

#[test]
fn spelling_is_no_difference() {
    let respelled = r#"{"subject":"acct\u002d42","facts":{"currency":"USD","amount":1.25e4},"policy":"credit-limit"}"#;
    assert_eq!(
        Members::of(SALT, &request(B0)),
        Members::of(SALT, &request(respelled))
    );
    // Nothing can be named, so the whole body is.
    assert_eq!(differing(B0, respelled), [""]);
}

#[test]
fn members_are_named_down_to_depth_two_and_pointers_are_escaped() {
    assert_eq!(
        differing(
            &with_facts(r#"{"a/b~":{"c":[1]}}"#),
            &with_facts(r#"{"a/b~":{"c":[2]}}"#)
        ),
        ["/facts/a~1b~0"]
    );
    assert_eq!(
        differing(&with_facts(r#"{"":1}"#), &with_facts(r#"{"":2}"#)),
        ["/facts/"]
    );
}

#[test]
fn a_name_that_looks_like_another_place_is_not_taken_for_it() {
    let first = with_facts(r#"{"p":1,"/policy":1,"policy":1,"o":1}"#);
    assert_eq!(
        differing(&first, &first.replace(r#""/policy":1"#, r#""/policy":2"#)),
        ["/facts/~1policy"]
    );
    assert_eq!(
        differing(&first, &first.replace(r#""p":1"#, r#""p":2"#)),
        ["/facts/p"]
    );
    assert_eq!(
        differing(&first, &first.replace(r#""o":1"#, r#""o":2"#)),
        ["/facts/o"]
    );
}

#[test]
fn what_there_is_no_room_for_is_summed_up_as_facts() {
    let first = many(100, "");
    // Kept by name, being first.
    assert_eq!(
        differing(
            &first,
            &first.replace("\"member-0000\":0", "\"member-0000\":1")
        ),
        ["/facts/member-0000"]
    );
    // Not kept, changed, dropped or new: the place is not known.
    assert_eq!(
        differing(
            &first,
            &first.replace("\"member-0099\":99", "\"member-0099\":1")
        ),
        ["/facts"]
    );
    assert_eq!(differing(&first, &many(99, "")), ["/facts"]);
    assert_eq!(differing(&first, &many(100, ",\"new\":1")), ["/facts"]);
    // Both at once: what is known is named, the rest is not kept back.
    let both = first
        .replace("\"member-0000\":0", "\"member-0000\":1")
        .replace("\"member-0099\":99", "\"member-0099\":1");
    assert_eq!(differing(&first, &both), ["/facts/member-0000", "/facts"]);
}

#[test]
fn a_long_or_unprintable_name_is_never_repeated() {
    for name in ["n".repeat(65), "a\\nb".to_owned(), "a\\u0000".to_owned()] {
        let facts = |value: u8| with_facts(&format!("{{\"{name}\":{value},\"b\":1}}"));
        let without = with_facts("{\"b\":1}");
        assert_eq!(differing(&facts(1), &facts(2)), ["/facts"]);
        assert_eq!(differing(&facts(1), &without), ["/facts"]);
        assert_eq!(differing(&without, &facts(1)), ["/facts"]);
    }
}

#[test]
fn an_answer_is_never_flooded() {
    let pointers = differing(&with_facts("{}"), &many(3_000, ""));
    assert_eq!(pointers.len(), 33);
    assert_eq!(pointers.last().map(String::as_str), Some("/facts"));
}

#[test]
fn the_widest_request_stays_within_the_budget() {
    for length in [1, 20, 64] {
        let facts: Vec<_> = (0..60)
            .map(|at| format!("\"{}{at:02}\":0", "é".repeat((length - 1) / 2)))
            .collect();
        let body = with_facts(&format!("{{{}}}", facts.join(",")));
        let other = body.replace(":0", ":1");
        assert!(differing(&body, &other).contains(&"/facts".to_owned()));
    }
}

#[test]
fn digests_are_keyed_and_short() {
    let members = Members::of(SALT, &request(B0)).encode();
    assert_eq!(
        members.len(),
        "1".len() + "p+s+/amount+/currency+".len() - 1 + 4 * 6
    );
    assert_ne!(members, Members::of(b"another salt", &request(B0)).encode());
    // Equal values of two members do not show as equal.
    let same_values = Members::of(SALT, &request(with_facts(r#"{"a":1,"b":1}"#))).encode();
    let digests: Vec<_> = same_values[1..].lines().map(|line| &line[..6]).collect();
    assert_ne!(digests[2], digests[3]);
}

#[test]
fn what_was_not_encoded_here_is_refused() {
    let good = Members::of(SALT, &request(B0)).encode();
    for bad in [
        "",
        "1",
        "1abc",
        "1abcdefq",
        "1abcde!p",
        "1abcdép",
        "1abcdefp\nabcdefp",
        &good.replacen('1', "2", 1),
        &good[1..],
        &format!("{good}\n"),
        &format!(
            "1{}",
            (0..33)
                .map(|at| format!("abcdef/{at}"))
                .collect::<Vec<_>>()
                .join("\n")
        ),
    ] {
        assert_eq!(Members::decode(bad), Err(UnreadableMembers), "{bad:?}");
    }
}

/// Found by the fuzzer: what is read in any order would not be written again as it was.
#[test]
fn digests_in_another_order_are_not_what_was_written() {
    let good = Members::of(SALT, &request(B0)).encode();
    let mut lines: Vec<_> = good[1..].lines().collect();
    lines.reverse();
    let backwards = format!("1{}", lines.join("\n"));
    assert_eq!(Members::decode(&backwards), Err(UnreadableMembers));
}
