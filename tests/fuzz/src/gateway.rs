//! Events of API Gateway through the whole decide function, over a store in memory.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use decide_once_policy::PolicySet;
use decide_once_protocol::json;
use decide_once_service::limits::Limits;
use decide_once_service::memory::MemoryStore;
use decide_once_service::profile::Profile;
use decide_once_service::settings::Settings;
use decide_once_service::{Answers, Decider};
use decide_once_tests::fixtures::{CountingIds, ManualClock};
use fn_decide::{App, Authority, Event, handle};
use lambda_http::LambdaEvent;
use lambda_runtime::Context;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

/// * An event is answered, never with a server error, and never by a panic.
/// * A refusal stores nothing.
/// * The same event again has the same answer: of what was decided the same bytes.
///
/// # Panics
/// One of these does not hold.
pub fn target(event: &[u8]) {
    // What the runtime cannot read never reaches the function.
    if serde_json::from_slice::<Event>(event).is_err() {
        return;
    }
    thread_local! { static FUNCTION: RefCell<Function> = RefCell::new(Function::new()); }
    FUNCTION.with_borrow_mut(|function| {
        let store = function.fresh();
        let first = function.ask(event);
        let stored = store.operations().len();
        if first.status < 300 || first.is_recorded() {
            assert!(stored <= 1, "one event is one operation");
        } else {
            assert_eq!((stored, store.decisions().len()), (0, 0), "{first:?}");
        }
        let again = function.ask(event);
        assert_eq!(again.body, first.body, "{first:?}, then {again:?}");
        let replayed = if first.status == 201 {
            200
        } else {
            first.status
        };
        assert_eq!(again.status, replayed, "{first:?}, then {again:?}");
        assert_eq!(store.operations().len(), stored, "{first:?}");
    });
}

struct Function {
    app: Arc<App<MemoryStore, ManualClock, CountingIds>>,
    runtime: Runtime,
}

#[derive(Debug)]
struct Told {
    status: u64,
    body: String,
}

impl Function {
    fn new() -> Self {
        let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies");
        let decider = Decider {
            store: MemoryStore::new(),
            clock: ManualClock::default(),
            ids: CountingIds::default(),
            policies: PolicySet::load(&policies).unwrap(),
            settings: Settings::default(),
            limits: Limits::default(),
            answers: Answers::default(),
        };
        Self {
            app: Arc::new(App {
                decider,
                authority: Authority::from_env().unwrap(),
                profile: Profile::Default,
            }),
            runtime: Builder::new_current_thread().enable_time().build().unwrap(),
        }
    }

    /// An instance that was never called; only its compiled policies are kept.
    fn fresh(&mut self) -> MemoryStore {
        let decider = &mut Arc::get_mut(&mut self.app).unwrap().decider;
        decider.store = MemoryStore::new();
        decider.ids = CountingIds::default();
        decider.limits = Limits::default();
        decider.answers = Answers::default();
        decider.store.clone()
    }

    fn ask(&self, event: &[u8]) -> Told {
        let mut context = Context::default();
        let deadline = SystemTime::now() + Duration::from_secs(29);
        let deadline = deadline.duration_since(UNIX_EPOCH).unwrap().as_millis();
        context.deadline = u64::try_from(deadline).unwrap();
        let event = LambdaEvent::new(serde_json::from_slice(event).unwrap(), context);
        let answer = self.runtime.block_on(handle(Arc::clone(&self.app), event));
        Told::of(&serde_json::to_value(answer.unwrap()).unwrap())
    }
}

impl Told {
    fn of(answer: &Value) -> Self {
        let told = Self {
            status: answer["statusCode"].as_u64().unwrap(),
            body: answer["body"].as_str().unwrap().to_owned(),
        };
        assert!((200..500).contains(&told.status), "{told:?}");
        assert_eq!(answer["isBase64Encoded"], false);
        let body = json::parse(told.body.as_bytes()).unwrap();
        if told.status >= 400 {
            let status = body.pointer("/status").and_then(json::Value::as_number);
            assert_eq!(
                status.and_then(json::Number::as_u64),
                Some(told.status),
                "{told:?}"
            );
        }
        told
    }

    /// A failure that is the operation's answer from now on.
    fn is_recorded(&self) -> bool {
        self.status == 422 || self.status == 409
    }
}
