//! Every row of the classifier, asked about what the store returned.

use std::time::Duration;

use decide_once_protocol::classify::{Caller, Doing, Sameness, Standing, classify};
use decide_once_protocol::record::{
    EXPIRY_MARGIN, Fence, FinalCode, Hold, Keep, MAX_ATTEMPTS, PolicyPin, Record, Retention,
    RetryCause, State,
};
use decide_once_protocol::time::{PLAUSIBLE_AHEAD, Timestamp};
use decide_once_protocol::writes::{Answer, Existing, Reserve, Unreadable, vacant_before};
use decide_once_service::memory::Foreign;
use decide_once_service::ports::Store;

use super::{Harness, place};
use crate::samples::{self, NOW, at};

/// How long the caller leaves a queued operation alone.
const PATIENCE: Duration = Duration::from_secs(10);

/// A caller whose request is, is not, or cannot be said to be the record's.
struct Request(Sameness);

impl Caller for Request {
    fn sameness(&self, _: &Record) -> Sameness {
        self.0.clone()
    }

    fn retention(&self, _: &PolicyPin) -> Option<Retention> {
        None
    }

    fn queue_patience(&self) -> Duration {
        PATIENCE
    }
}

/// What stands, who asks and when, and what it means.
struct Row {
    stands: Option<Record>,
    sameness: Sameness,
    doing: Doing,
    now: Timestamp,
    means: Standing,
}

/// What the store says of the operation: by a read for who looks or finishes, by a refused reservation for who claims.
async fn returned(store: &impl Store, row: &Row) -> Existing {
    match row.doing {
        Doing::Looking | Doing::Finishing(_) => {
            let id = samples::scope().operation_id();
            store.read_operation(&id).await.unwrap()
        }
        Doing::Claiming(_) => {
            let record = Record {
                fence: samples::fence(50),
                ..samples::reserve().record
            };
            let vacant_before = vacant_before(row.now);
            match store
                .reserve(&Reserve {
                    record,
                    vacant_before,
                })
                .await
            {
                Answer::Refused(existing) => existing,
                other => panic!("{other:?}"),
            }
        }
    }
}

/// The classifier's table.
fn rows() -> Vec<Row> {
    let now = at(NOW + 2_000);
    let mine = samples::fence(2);
    let (looking, claiming) = (Doing::Looking, Doing::Claiming(samples::fence(50)));
    let (claimed, finishing) = (Doing::Claiming(mine), Doing::Finishing(mine));
    let record = samples::record;
    let boxed = |state: State| Box::new(record(state));
    let retryable = || State::FailedRetryable {
        cause: RetryCause::Deadline,
        keep: samples::kept(),
    };
    let failed = || samples::failed(FinalCode::DecisionFailed);
    let spent = |state| Record {
        fence: Fence {
            attempt: MAX_ATTEMPTS + 1,
            ..samples::fence(2)
        },
        ..record(state)
    };
    let expiry = samples::expiry();
    let free = expiry.free_from();
    let different = Sameness::Different {
        pointers: vec!["/facts/amount".to_owned()],
    };
    let mismatch = Standing::Mismatch {
        pointers: vec!["/facts/amount".to_owned()],
    };
    let expired = |decision| Standing::ResultExpired {
        decision,
        free_from: free,
    };
    let decision = Some(samples::decision().id);
    let row = |stands, doing, now, means| Row {
        stands,
        sameness: Sameness::Same,
        doing,
        now,
        means,
    };
    let standing = |state, doing, now, means| row(Some(record(state)), doing, now, means);
    let lapsed = at(NOW + 31_000);
    let (processing, succeeded) = (samples::processing, || samples::succeeded(true));
    vec![
        row(None, looking, now, Standing::Vacant),
        standing(processing(), looking, free, Standing::Vacant),
        standing(succeeded(), looking, free, Standing::Vacant),
        row(None, finishing, now, Standing::Lost),
        row(
            Some(Record {
                fence: samples::fence(9),
                ..record(processing())
            }),
            finishing,
            free,
            Standing::Lost,
        ),
        standing(
            processing(),
            claimed,
            now,
            Standing::Owned(boxed(processing())),
        ),
        standing(processing(), finishing, now, Standing::Unfinished),
        standing(
            succeeded(),
            finishing,
            now,
            Standing::Committed(boxed(succeeded())),
        ),
        standing(
            failed(),
            finishing,
            now,
            Standing::Surrendered(boxed(failed())),
        ),
        standing(
            retryable(),
            finishing,
            now,
            Standing::Surrendered(boxed(retryable())),
        ),
        Row {
            sameness: different,
            ..standing(processing(), claiming, now, mismatch)
        },
        Row {
            sameness: Sameness::Unjudged,
            ..standing(succeeded(), claiming, now, Standing::Unjudged)
        },
        standing(
            succeeded(),
            claiming,
            now,
            Standing::Finished(boxed(succeeded())),
        ),
        standing(failed(), claiming, now, Standing::Finished(boxed(failed()))),
        standing(
            succeeded(),
            claiming,
            expiry.result,
            expired(decision.clone()),
        ),
        standing(
            succeeded(),
            claiming,
            at(free.as_millis() - 1),
            expired(decision),
        ),
        standing(failed(), claiming, expiry.result, expired(None)),
        standing(
            processing(),
            claiming,
            now,
            Standing::InProgress(boxed(processing())),
        ),
        standing(
            processing(),
            claiming,
            lapsed,
            Standing::Lapsed(boxed(processing())),
        ),
        standing(
            retryable(),
            claiming,
            now,
            Standing::Lapsed(boxed(retryable())),
        ),
        row(
            Some(samples::queued()),
            claiming,
            at(NOW + 9_999),
            Standing::InProgress(Box::new(samples::queued())),
        ),
        row(
            Some(samples::queued()),
            claiming,
            at(NOW + 10_000),
            Standing::Lapsed(Box::new(samples::queued())),
        ),
        row(
            Some(samples::queued()),
            Doing::Claiming(samples::queued().fence),
            now,
            Standing::Owned(Box::new(samples::queued())),
        ),
        row(
            Some(samples::queued()),
            looking,
            free,
            Standing::Lapsed(Box::new(samples::queued())),
        ),
        row(
            Some(spent(retryable())),
            claiming,
            now,
            Standing::Exhausted(Box::new(spent(retryable()))),
        ),
        row(
            Some(spent(processing())),
            claiming,
            lapsed,
            Standing::Exhausted(Box::new(spent(processing()))),
        ),
    ]
}

/// Each row on a store of its own key's life.
pub async fn every_standing_is_told_of_what_the_store_returned<H: Harness>() {
    for row in rows() {
        let harness = H::start().await;
        let store = harness.store();
        if let Some(record) = &row.stands {
            place(&store, record).await;
        }
        let existing = returned(&store, &row).await;
        let told = classify(existing, &Request(row.sameness), row.doing, row.now);
        assert_eq!(
            told, row.means,
            "{:?} at {:?}: {:?}",
            row.doing, row.now, row.stands
        );
    }
}

/// Newer, corrupt, or so far ahead that it must be a mistake of units.
pub async fn an_unreadable_record_is_told_as_such<H: Harness>() {
    let harness = H::start().await;
    let store = harness.store();
    let id = samples::scope().operation_id();
    let request = Request(Sameness::Same);
    let newer = Unreadable::Newer { version: 2 };
    let corrupt = Unreadable::Corrupt {
        attribute: "stands".to_owned(),
    };
    for why in [newer, corrupt] {
        harness
            .plant(Foreign::Operation(id.clone(), why.clone()))
            .await;
        let existing = store.read_operation(&id).await.unwrap();
        let told = classify(existing, &request, Doing::Looking, at(NOW));
        assert_eq!(told, Standing::Unreadable(why));
    }

    let harness = H::start().await;
    let store = harness.store();
    let far = at(NOW).plus(PLAUSIBLE_AHEAD).plus(EXPIRY_MARGIN);
    let record = samples::record(State::Processing {
        hold: Hold::Leased(far),
        keep: Keep::Until(far),
    });
    place(&store, &record).await;
    let existing = store.read_operation(&id).await.unwrap();
    let told = classify(existing, &request, Doing::Looking, at(NOW));
    assert!(matches!(told, Standing::Unreadable(_)), "{told:?}");
}
