//! `docs/http.md`, run: every `curl` line of it, with the answer that stands beside it.
//!
//! The page's lines are shell; what is understood of shell here is what the page uses: assignments, quotes, `$name`, a comment at the end of a line, `&` and `wait`,
//! and `head -c N /dev/zero |`.

use std::{collections::HashMap, sync::Arc};

use decide_once_tests::{Answer, Description, Request, Stack, eventually};
use http::Method;
use tokio::task::JoinHandle;

const PAGE: &str = include_str!("../../../docs/http.md");

/// What stands behind `#`: `[at last] STATUS [code] [; Header: value]…`.
#[derive(Debug, Clone)]
struct Expected {
    /// The line is sent until the answer is this one.
    repeat: bool,
    status: u16,
    code: Option<String>,
    headers: Vec<(String, String)>,
}

/// A line that is sent.
#[derive(Debug)]
struct Line {
    text: String,
    background: bool,
    expected: Expected,
}

#[derive(Debug)]
enum Step {
    Assign(String, String),
    Send(Line),
    Wait,
}

/// The lines of the page's `sh` blocks.
fn steps() -> Vec<Step> {
    let mut inside = false;
    let mut steps = Vec::new();
    for line in PAGE.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            "wait" if inside => steps.push(Step::Wait),
            _ if inside => steps.push(step(line)),
            _ => {}
        }
    }
    assert!(!inside);
    steps
}

fn step(line: &str) -> Step {
    if let Some((name, value)) = line.split_once('=')
        && name.chars().all(|c| c.is_ascii_lowercase())
    {
        let value = value
            .strip_prefix('\'')
            .and_then(|value| value.strip_suffix('\''));
        return Step::Assign(
            name.to_owned(),
            value.unwrap_or(&line[name.len() + 1..]).to_owned(),
        );
    }
    let (text, comment) = line
        .rsplit_once(" # ")
        .unwrap_or_else(|| panic!("{line}: no answer beside it"));
    let text = text.trim_end();
    let (text, background) = match text.strip_suffix(" &") {
        Some(text) => (text, true),
        None => (text, false),
    };
    Step::Send(Line {
        text: text.to_owned(),
        background,
        expected: expected(comment.trim()),
    })
}

fn expected(comment: &str) -> Expected {
    let mut parts = comment.split("; ");
    let first = parts.next().unwrap();
    let answer = first.strip_prefix("at last ");
    let mut words = answer.unwrap_or(first).split(' ');
    Expected {
        repeat: answer.is_some(),
        status: words
            .next()
            .unwrap()
            .parse()
            .unwrap_or_else(|_| panic!("{comment}")),
        code: words.next().map(str::to_owned),
        headers: parts
            .map(|header| header.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    }
}

/// Splits into words, as a shell does.
fn words(text: &str, variables: &HashMap<String, String>) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (_, Some(open)) if character == open => quote = None,
            ('$', None | Some('"')) => {
                let mut name = String::new();
                while let Some(next) = characters.next_if(char::is_ascii_lowercase) {
                    name.push(next);
                }
                let value = variables
                    .get(&name)
                    .unwrap_or_else(|| panic!("${name} in {text}"));
                word.get_or_insert_default().push_str(value);
            }
            (' ', None) => words.extend(word.take()),
            (_, _) => word.get_or_insert_default().push(character),
        }
    }
    assert_eq!(quote, None, "{text}");
    words.extend(word);
    words
}

/// What `curl` sends for this line.
fn request(stack: &Stack, text: &str, variables: &HashMap<String, String>) -> Request {
    let mut words = words(text, variables).into_iter().peekable();
    let mut input = Vec::new();
    if words.next_if_eq("head").is_some() {
        let rest: Vec<_> = words.by_ref().take(4).collect();
        assert_eq!(
            (rest[0].as_str(), rest[2].as_str(), rest[3].as_str()),
            ("-c", "/dev/zero", "|")
        );
        input = vec![0; rest[1].parse().unwrap()];
    }
    assert_eq!(words.next().as_deref(), Some("curl"), "{text}");
    let (mut method, mut url, mut headers, mut data) = (None, None, Vec::new(), None);
    while let Some(word) = words.next() {
        let mut argument = || words.next().unwrap();
        match word.as_str() {
            "-i" => {}
            "-I" => method = Some(Method::HEAD),
            "-X" => method = Some(argument().parse().unwrap()),
            "-H" => headers.push(argument()),
            "-d" => data = Some(argument().into_bytes()),
            "--data-binary" => {
                assert_eq!(argument(), "@-");
                data = Some(std::mem::take(&mut input));
            }
            address => url = Some(address.to_owned()),
        }
    }
    let url = url.unwrap();
    let path = url.strip_prefix(stack.url()).unwrap();
    let method = method.unwrap_or(if data.is_some() {
        Method::POST
    } else {
        Method::GET
    });
    let mut request = stack.request(method, path);
    let mut typed = false;
    for header in headers {
        let (name, value) = header.split_once(": ").unwrap();
        typed |= name.eq_ignore_ascii_case("content-type");
        request = request.header(name, value);
    }
    if let Some(data) = data {
        if !typed {
            request = request.header("content-type", "application/x-www-form-urlencoded");
        }
        request = request.body(data);
    }
    request
}

impl Expected {
    fn meets(&self, answer: &Answer) -> bool {
        let code = self
            .code
            .as_ref()
            .map(|code| format!("urn:decide-once:problem:{code}"));
        answer.status.as_u16() == self.status
            && code.is_none_or(|code| answer.json()["type"] == code)
            && self
                .headers
                .iter()
                .all(|(name, value)| answer.header(name) == Some(value))
    }
}

/// Sends a line until it is answered as it says. Every answer is one that `/openapi.json` describes.
async fn send(request: Request, line: Line, api: Arc<Description>) -> (Line, Answer) {
    let mut answer = request.clone().send().await;
    let mut sent = 1;
    while line.expected.repeat && !line.expected.meets(&answer) && sent < 400 {
        answer = request.clone().send().await;
        sent += 1;
    }
    assert!(
        line.expected.meets(&answer),
        "{}\n{:?}\n{answer:?}",
        line.text,
        line.expected
    );
    if !request.path().starts_with("/_local/") {
        api.holds_for(request.method(), &request.path(), &answer);
    }
    (line, answer)
}

#[tokio::test]
async fn every_line_of_the_page_is_answered_as_it_says() {
    let stack = Stack::start(&["--concurrency", "2"]).await;
    let api = Arc::new(Description::of(&stack).await);
    let mut variables = HashMap::new();
    let mut background: Vec<JoinHandle<(Line, Answer)>> = Vec::new();
    let mut sent = 0;
    for step in steps() {
        match step {
            Step::Assign(name, value) => {
                let value = if name == "url" {
                    stack.url().to_owned()
                } else {
                    value
                };
                variables.insert(name, value);
            }
            Step::Wait => {
                for line in background.drain(..) {
                    line.await.unwrap();
                }
            }
            Step::Send(line) => {
                sent += 1;
                let request = request(&stack, &line.text, &variables);
                if line.background {
                    background.push(tokio::spawn(send(request, line, Arc::clone(&api))));
                    eventually("a worker that is held", async || {
                        let faults = stack.get("/_local/faults").send().await.json();
                        faults["held"]
                            .as_array()
                            .is_some_and(|held| !held.is_empty())
                            .then_some(())
                    })
                    .await;
                    continue;
                }
                let (_, answer) = send(request, line, Arc::clone(&api)).await;
                // The page speaks of the first decision's ids.
                if answer.status.as_u16() == 201 && !variables.contains_key("operation") {
                    let body = answer.json();
                    for (name, member) in [("operation", "operationId"), ("decision", "decisionId")]
                    {
                        let id = body[member].as_str().unwrap().to_owned();
                        variables.insert(name.to_owned(), id);
                    }
                }
            }
        }
    }
    assert!(background.is_empty());
    assert!(sent > 40, "{sent} lines were understood");
}
