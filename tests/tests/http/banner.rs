//! The lines that a new user pastes.

use decide_once_tests::{Request, Stack, eventually};
use http::Method;

/// The words of a line, as a shell reads them: single quotes keep everything.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.last_mut().unwrap().push_str(part);
            continue;
        }
        for (number, piece) in part.split(' ').enumerate() {
            if number > 0 {
                words.push(String::new());
            }
            words.last_mut().unwrap().push_str(piece);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The request that `curl` would send.
fn request(stack: &Stack, line: &str) -> Request {
    let words = words(line);
    let mut words = words.iter().map(String::as_str);
    assert_eq!(words.next(), Some("curl"));
    assert_eq!(words.next(), Some("-i"));
    let url = words.next().unwrap();
    let path = url.strip_prefix(stack.url()).unwrap();
    let mut request = stack.request(Method::POST, path);
    while let (Some(option), Some(value)) = (words.next(), words.next()) {
        request = match option {
            "-H" => {
                let (name, value) = value.split_once(": ").unwrap();
                request.header(name, value)
            }
            "-d" => request.body(value.to_owned()),
            _ => panic!("{option} is not known here"),
        };
    }
    request
}

#[tokio::test]
async fn the_three_printed_lines_are_a_decision_its_replay_and_a_refusal() {
    let stack = Stack::start(&[]).await;
    let lines = eventually("three lines", async || {
        let output = stack.output();
        let lines: Vec<_> = output
            .lines()
            .filter(|line| line.starts_with("curl "))
            .collect();
        (lines.len() == 3).then(|| {
            lines
                .iter()
                .map(|line| (*line).to_owned())
                .collect::<Vec<_>>()
        })
    })
    .await;
    let first = request(&stack, &lines[0]).send().await.expect(201);
    assert_eq!(first.header("idempotent-replayed"), Some("false"));
    let second = request(&stack, &lines[1]).send().await.expect(200);
    assert_eq!(second.header("idempotent-replayed"), Some("true"));
    assert_eq!(second.body, first.body);
    let third = request(&stack, &lines[2]).send().await.expect(409);
    assert_eq!(third.json()["pointers"], serde_json::json!(["/subject"]));
    assert_eq!(third.json()["retry"], "never");
    let warnings = stack.output();
    let warnings = warnings.lines().filter(|line| line.contains("WARN"));
    assert_eq!(warnings.count(), 0, "a replay is nothing to warn of");
}
