//! The loop: ask, do as the answer says, until there is a decision, or there will be none, or patience ends.

use std::time::Duration;

use bytes::Bytes;
use decide_once_protocol::key::IdempotencyKey;
use serde::Deserialize;
use tokio::time::Instant;

use crate::advice::{self, Advice};
use crate::backoff::Backoff;
use crate::problem::Problem;
use crate::transport::{Answer, NoAnswer, Transport};

/// Longer than any lease, so that an operation whose worker died is taken over meanwhile.
const PATIENCE: Duration = Duration::from_secs(120);

/// Asks for decisions. Cheap to share.
#[derive(Clone, Debug)]
pub struct Client<T> {
    /// The network.
    pub transport: T,
    /// How long to wait between attempts.
    pub backoff: Backoff,
    /// After this much time no further attempt is made.
    pub patience: Duration,
}

/// What became of an operation, and in how many attempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    /// There is a decision.
    Decided {
        /// Its bytes, the same for every attempt.
        body: Bytes,
        /// Whether it was recorded before this attempt: by another caller, or by an attempt of this one whose answer was lost.
        replayed: bool,
        /// How often it was asked for.
        attempts: u32,
    },
    /// There is none, and there will be none under this key.
    Problem {
        /// The HTTP status.
        status: u16,
        /// [`Advice::NewKey`] or [`Advice::Never`].
        advice: Advice,
        /// Why.
        problem: Box<Problem>,
        /// How often it was asked for.
        attempts: u32,
    },
    /// Nobody knows. The next attempt, whenever it comes, has to be with the same key.
    Unfinished {
        /// The last attempt's status, if it was answered at all.
        status: Result<u16, NoAnswer>,
        /// How often it was asked for.
        attempts: u32,
    },
}

impl<T: Transport> Client<T> {
    /// A client with patience for two minutes.
    pub fn new(transport: T) -> Self {
        Self {
            transport,
            backoff: Backoff::default(),
            patience: PATIENCE,
        }
    }

    /// Asks for the decision of `body` under `key`, as often as its answers advise.
    pub async fn decide(&self, key: &IdempotencyKey, body: impl Into<Bytes>) -> Answered {
        let (body, begun) = (body.into(), Instant::now());
        let mut attempts = 0;
        loop {
            attempts += 1;
            let answer = self.transport.post(key, body.clone()).await;
            let retry_after = match &answer {
                Ok(answer) => answer.retry_after,
                Err(_) => None,
            };
            let status = match answer {
                Ok(answer) => match settled(key, answer, attempts) {
                    Ok(answered) => return answered,
                    Err(status) => status,
                },
                Err(why) => Err(why),
            };
            let pause = self.backoff.pause(attempts, retry_after);
            if begun.elapsed() + pause > self.patience {
                return Answered::Unfinished { status, attempts };
            }
            tokio::time::sleep(pause).await;
        }
    }
}

/// What an answer settles; else what there was of one, and the same key once more.
fn settled(
    key: &IdempotencyKey,
    answer: Answer,
    attempts: u32,
) -> Result<Answered, Result<u16, NoAnswer>> {
    let Answer {
        status,
        replayed,
        body,
        ..
    } = answer;
    let problem = Problem::read(&body);
    match advice::of(status, problem.retry.as_deref()) {
        Advice::Done if !is_decision_of(key, &body) => Err(Err(NoAnswer::Foreign)),
        Advice::Done => Ok(Answered::Decided {
            body,
            replayed,
            attempts,
        }),
        Advice::SameKey => Err(Ok(status)),
        advice @ (Advice::NewKey | Advice::Never) => Ok(Answered::Problem {
            status,
            advice,
            problem: Box::new(problem),
            attempts,
        }),
    }
}

/// Whether a success is this very operation's: anybody can answer 200.
fn is_decision_of(key: &IdempotencyKey, body: &[u8]) -> bool {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Decision {
        idempotency_key: String,
        #[serde(rename = "decisionId")]
        _decision_id: String,
    }
    serde_json::from_slice(body)
        .is_ok_and(|decision: Decision| decision.idempotency_key == key.as_str())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::collections::VecDeque;
    use std::sync::Mutex;

    use super::*;

    /// Answers from a list, and keeps the keys that it was asked under.
    #[derive(Debug, Default)]
    struct Script {
        answers: Mutex<VecDeque<Result<Answer, NoAnswer>>>,
        keys: Mutex<Vec<IdempotencyKey>>,
    }

    impl Transport for Script {
        async fn post(&self, key: &IdempotencyKey, _: Bytes) -> Result<Answer, NoAnswer> {
            self.keys.lock().unwrap().push(key.clone());
            let next = self.answers.lock().unwrap().pop_front();
            next.unwrap_or(Err(NoAnswer::Connection))
        }
    }

    const DECIDED: &str = r#"{"decisionId":"d","idempotencyKey":"order-7"}"#;

    fn answer(status: u16, body: &'static str) -> Result<Answer, NoAnswer> {
        Ok(Answer {
            status,
            body: Bytes::from_static(body.as_bytes()),
            ..Answer::default()
        })
    }

    async fn ask(answers: Vec<Result<Answer, NoAnswer>>) -> (Answered, usize) {
        let script = Script {
            answers: Mutex::new(answers.into()),
            ..Script::default()
        };
        let client = Client {
            backoff: Backoff {
                first: Duration::from_millis(1),
                longest: Duration::from_millis(2),
                ..Backoff::default()
            },
            patience: Duration::from_millis(200),
            ..Client::new(script)
        };
        let key = IdempotencyKey::parse("order-7").unwrap();
        let answered = client.decide(&key, "{}").await;
        let keys = client.transport.keys.lock().unwrap().clone();
        assert!(keys.iter().all(|asked| *asked == key), "one key for all");
        (answered, keys.len())
    }

    #[tokio::test(start_paused = true)]
    async fn it_asks_with_the_same_key_until_there_is_a_decision() {
        let (answered, asked) = ask(vec![
            Err(NoAnswer::Broken),
            answer(502, "<html>"),
            answer(503, r#"{"retry":"same-key"}"#),
            answer(202, r#"{"state":"PROCESSING"}"#),
            answer(200, "<html>Welcome</html>"),
            answer(201, r#"{"decisionId":"d","idempotencyKey":"order-8"}"#),
            answer(200, DECIDED),
        ])
        .await;
        assert_eq!(asked, 7);
        assert_eq!(
            answered,
            Answered::Decided {
                body: Bytes::from_static(DECIDED.as_bytes()),
                replayed: false,
                attempts: 7
            }
        );
    }

    #[tokio::test(start_paused = true)]
    async fn what_cannot_be_helped_is_asked_for_once() {
        for (status, body, expected) in [
            (422, r#"{"retry":"new-key"}"#, Advice::NewKey),
            (409, r#"{"retry":"never"}"#, Advice::Never),
            (401, "<html>", Advice::Never),
        ] {
            let (answered, asked) = ask(vec![answer(status, body)]).await;
            assert_eq!(asked, 1);
            assert!(
                matches!(answered, Answered::Problem { advice, .. } if advice == expected),
                "{answered:?}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn patience_ends_without_a_claim_of_knowing() {
        let (answered, asked) = ask(Vec::new()).await;
        assert!(asked > 1);
        assert!(matches!(
            answered,
            Answered::Unfinished { status: Err(NoAnswer::Connection), attempts } if usize::try_from(attempts).unwrap() == asked
        ));
        let slow = Answer {
            status: 503,
            retry_after: Some(Duration::from_secs(3_600)),
            ..Answer::default()
        };
        let (answered, asked) = ask(vec![Ok(slow)]).await;
        assert_eq!(asked, 1, "nobody comes back before the answer asks for it");
        assert!(matches!(
            answered,
            Answered::Unfinished {
                status: Ok(503),
                ..
            }
        ));
    }
}
