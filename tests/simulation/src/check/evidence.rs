//! What the rules look at.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use decide_once_protocol::decision::DecisionItem;
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::json::{self, Value};
use decide_once_protocol::time::Timestamp;
use decide_once_tests::fixtures::START;

use crate::journal::{Posted, Told, What};
use crate::plan::Request;
use crate::simulate::Run;

/// A run, ordered for the rules.
#[derive(Debug)]
pub(super) struct Evidence<'a> {
    pub(super) run: &'a Run,
    /// What workers said, when, to which request: also where it did not arrive.
    pub(super) replies: Vec<(Timestamp, &'a Posted, &'a Told)>,
    pub(super) decisions: BTreeMap<DecisionId, Decided<'a>>,
}

/// A decision, with the request that it decides.
#[derive(Debug)]
pub(super) struct Decided<'a> {
    pub(super) item: &'a DecisionItem,
    pub(super) bytes: Vec<u8>,
    pub(super) amount: Option<u32>,
}

/// What a client posted: one request, perhaps under several keys.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub(super) amount: u32,
    pub(super) first: Timestamp,
    pub(super) last: Timestamp,
    pub(super) keys: BTreeSet<&'a str>,
}

impl<'a> Evidence<'a> {
    pub(super) fn of(run: &'a Run) -> Self {
        let replies = run.entries.iter().filter_map(|entry| match &entry.what {
            What::Replies(posted, told) => Some((instant(entry.at), &**posted, &**told)),
            _ => None,
        });
        let decisions = run.end.decisions.iter().map(|item| {
            let outcome = json::parse(item.verdict.outcome.as_bytes()).ok();
            let decided = Decided {
                bytes: item.render().bytes,
                amount: outcome
                    .as_ref()
                    .and_then(|outcome| amount_at(outcome, "/amount")),
                item,
            };
            (item.id.clone(), decided)
        });
        Self {
            run,
            replies: replies.collect(),
            decisions: decisions.collect(),
        }
    }

    /// What each client posted.
    pub(super) fn asked(&self) -> Vec<Asked<'a>> {
        let mut asked: BTreeMap<u16, Asked<'a>> = BTreeMap::new();
        for entry in &self.run.entries {
            if let What::Asks(posted) = &entry.what {
                let at = instant(entry.at);
                let of_one = asked.entry(posted.ask).or_insert_with(|| Asked {
                    amount: posted.amount,
                    first: at,
                    last: at,
                    keys: BTreeSet::new(),
                });
                of_one.last = at;
                of_one.keys.insert(&posted.key);
            }
        }
        asked.into_values().collect()
    }

    /// What was asked for under an amount.
    pub(super) fn request(&self, amount: u32) -> Option<&'a Request> {
        let asks = &self.run.plan.asks;
        asks.iter()
            .map(|ask| &ask.request)
            .find(|request| request.amount == amount)
    }
}

/// The whole number there.
pub(super) fn amount_at(value: &Value, pointer: &str) -> Option<u32> {
    let number = value.pointer(pointer)?.as_number()?.as_i64()?;
    u32::try_from(number).ok()
}

/// True time.
pub(super) fn instant(since: Duration) -> Timestamp {
    let start = Timestamp::from_millis(START).unwrap_or(Timestamp::EPOCH);
    start.plus(since)
}
