//! Clients: the real loop of `decide-once-client`, over a road on which requests and answers are lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use decide_once_client::backoff::{Backoff, Jitter};
use decide_once_client::{Answer, Answered, Client, NoAnswer, Problem, Transport, advice::Advice};
use decide_once_protocol::key::IdempotencyKey;
use decide_once_service::Respond;
use decide_once_service::profile::Profile;
use decide_once_service::reply::{Outcome, Reply};
use decide_once_tests::fixtures;
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::bug::Bug;
use crate::chance::{Place, Who};
use crate::journal::{Posted, Told, What};
use crate::plan::Ask;
use crate::world::World;

/// How often a client that is advised to take a new key does so.
const NEW_KEYS: u32 = 2;

/// Between a client and the front.
#[derive(Debug)]
struct Road {
    world: Arc<World>,
    ask: Ask,
    posts: AtomicU32,
    /// It has not heard of a post before.
    heard_nothing: AtomicBool,
}

/// Asks as the answers advise, until they say that nothing is left to be asked.
pub(crate) async fn ask(world: Arc<World>, ask: Ask) {
    let who = Who::Decide(ask.number);
    let place = Place::invocation(who, 0);
    let jitter = world.draw(place, "jitter").number().to_be_bytes()[0];
    let body = Bytes::from(ask.request.body());
    let name = format!("k-{}", ask.key);
    let road = Road {
        world: Arc::clone(&world),
        ask,
        posts: AtomicU32::new(0),
        heard_nothing: AtomicBool::new(false),
    };
    let mut client = Client::new(road);
    client.backoff = Backoff {
        jitter: Jitter::Always(jitter),
        ..Backoff::default()
    };
    for taken in 0..=NEW_KEYS {
        let name = format!("{name}{}", "+".repeat(usize::try_from(taken).unwrap_or(0)));
        let Ok(key) = IdempotencyKey::parse(&name) else {
            return;
        };
        let answered = client.decide(&key, body.clone()).await;
        world.note(who, What::Settles(said(&answered)));
        let advised = matches!(
            answered,
            Answered::Problem {
                advice: Advice::NewKey,
                ..
            }
        );
        if !advised {
            return;
        }
    }
}

fn said(answered: &Answered) -> String {
    match answered {
        Answered::Decided {
            replayed, attempts, ..
        } => {
            let how = if *replayed {
                "decided before"
            } else {
                "decided"
            };
            format!("{how}, after {attempts} posts")
        }
        Answered::Problem {
            problem, advice, ..
        } => format!("{}, {advice:?}", problem.code()),
        Answered::Unfinished { .. } => "out of patience".to_owned(),
    }
}

impl Transport for Road {
    async fn post(&self, key: &IdempotencyKey, body: Bytes) -> Result<Answer, NoAnswer> {
        let post = self.posts.fetch_add(1, Ordering::Relaxed) + 1;
        let place = Place::invocation(Who::Decide(self.ask.number), post);
        let answer = self.travel(key, &body, place).await;
        if let Err(why) = answer {
            self.heard_nothing.store(true, Ordering::Relaxed);
            self.world.note(place.who, What::HearsNothing(why));
        }
        answer
    }
}

impl Road {
    async fn travel(
        &self,
        key: &IdempotencyKey,
        body: &Bytes,
        place: Place,
    ) -> Result<Answer, NoAnswer> {
        let (world, often) = (&self.world, self.world.plan.weather.network);
        let mut name = key.as_str().to_owned();
        if world.plan.bug == Some(Bug::NewKeyOnSilence)
            && self.heard_nothing.load(Ordering::Relaxed)
        {
            name.push_str("-again");
        }
        let posted = Arc::new(Posted {
            ask: self.ask.number,
            key: name,
            amount: self.ask.request.amount,
            post: place.turn,
        });
        world.note(place.who, What::Asks(Arc::clone(&posted)));
        let Ok(body) = std::str::from_utf8(body) else {
            return Err(NoAnswer::Connection);
        };
        let mut call = fixtures::call("t-sim", &posted.key, body);
        call.respond = if self.ask.later {
            Respond::Later
        } else {
            Respond::Now
        };
        world.name(call.scope.operation_id(), &posted.key);
        sleep(Duration::from_millis(5)).await;
        if world.goes_wrong(place, "the request is lost on the road", often / 2) {
            sleep(Duration::from_secs(2)).await;
            return Err(NoAnswer::InTime);
        }
        // Whatever becomes of the connection, the function goes on.
        let (front, wait) = (Arc::clone(world), self.ask.wait);
        let (answers, answered) = oneshot::channel();
        world.spawn(async move {
            if let Some(outcome) = front.decide(&call, wait, place).await {
                let told = told(&outcome);
                front.note(place.who, What::Replies(posted, Arc::new(told.clone())));
                // Whoever asked may have gone.
                drop(answers.send((told, retry_after(&outcome))));
            }
        });
        if world.goes_wrong(place, "the gateway gives up", often / 4) {
            sleep(Duration::from_secs(1)).await;
            return Ok(gateway(503));
        }
        let worked = answered.await.ok();
        if world.goes_wrong(place, "the answer is lost on the road", often / 2) {
            return Err(NoAnswer::Broken);
        }
        Ok(match worked {
            None => gateway(502),
            Some((told, retry_after)) => Answer {
                status: told.status,
                replayed: told.replayed,
                retry_after,
                body: told.body,
            },
        })
    }
}

/// A gateway's own answer: it does not know what became of the request.
fn gateway(status: u16) -> Answer {
    Answer {
        status,
        body: Bytes::from_static(br#"{"message":"Service Unavailable"}"#),
        ..Answer::default()
    }
}

/// What the function answers over HTTP, as far as clients go by it.
pub(crate) fn told(outcome: &Outcome) -> Told {
    let (status, replayed, body) = match &outcome.reply {
        Reply::Decided { body, replayed, .. } => {
            let status = if *replayed {
                Profile::Default.replay_status()
            } else {
                201
            };
            (status, *replayed, Bytes::from(body.bytes.clone()))
        }
        Reply::InProgress { status, .. } => (202, false, Bytes::from(status.to_json())),
        Reply::Problem(problem) => {
            let replayed = problem.replayed == Some(true);
            (
                problem.kind.status(Profile::Default),
                replayed,
                Bytes::from(problem.to_json()),
            )
        }
    };
    let problem = Problem::read(&body);
    let is_problem = matches!(outcome.reply, Reply::Problem(_));
    Told {
        status,
        code: is_problem.then(|| problem.code().to_owned()),
        retry: problem.retry.filter(|_| status != 200 && status != 201),
        replayed,
        body,
    }
}

const fn retry_after(outcome: &Outcome) -> Option<Duration> {
    match &outcome.reply {
        Reply::Decided { .. } => None,
        Reply::InProgress { retry_after, .. } => Some(*retry_after),
        Reply::Problem(problem) => problem.retry_after,
    }
}
