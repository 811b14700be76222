//! A process's line to the store and the sink: where calls are slow, lost, late, refused, and where processes die.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use decide_once_protocol::inbox::{MarkAnswer, Together};
use decide_once_protocol::writes::{Answer, NotApplied};
use decide_once_service::consume::EffectError;
use decide_once_service::ports::StoreError;
use tokio::time::sleep;

use crate::chance::{Place, Who};
use crate::journal::What;
use crate::life::Life;
use crate::weather::Fault;
use crate::world::World;

/// Lambda's longest, as everything here has it.
pub(crate) const INVOCATION: Duration = Duration::from_secs(29);

/// A process's line. Clones are of one process.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) world: Arc<World>,
    invocation: Arc<Mutex<Invocation>>,
}

/// What the process is at.
#[derive(Clone, Debug)]
struct Invocation {
    place: Place,
    life: Life,
}

/// What a caller can be told of a call that did not go well.
pub(crate) trait Told: Send + 'static {
    /// It may or may not have an effect.
    fn unknown() -> Self;
    /// It has none.
    fn not_applied(why: NotApplied) -> Self;
}

impl Line {
    /// Of a new process.
    pub(crate) fn new(world: &Arc<World>, who: Who) -> Self {
        Self {
            world: Arc::clone(world),
            invocation: Arc::new(Mutex::new(Invocation {
                place: Place::invocation(who, 0),
                life: Life::default(),
            })),
        }
    }

    /// An invocation of the process, with so much time; `None` if nothing is heard of it.
    pub(crate) async fn invoke<T>(
        &self,
        place: Place,
        time: Duration,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let life = Life::until(self.world.dies_at(place.who));
        *self.current() = Invocation {
            place,
            life: life.clone(),
        };
        // At times a process is frozen and thawed instead of being killed, and is late.
        let outlives = self.world.goes_wrong(
            place,
            "its end is overlooked",
            self.world.plan.weather.network,
        );
        let longest = if outlives {
            time + Duration::from_secs(150)
        } else {
            time
        };
        let done = life.live(longest, work).await;
        if done.is_none() {
            self.world.has_crashed(place.who);
            self.world.note(place.who, What::Dies);
        }
        done
    }

    /// Who the process works for.
    pub(crate) fn who(&self) -> Who {
        self.current().place.who
    }

    /// The invocation's life.
    pub(crate) fn life(&self) -> Life {
        self.current().life.clone()
    }

    /// The place of the next call.
    pub(crate) fn next(&self) -> Place {
        let mut current = self.current();
        current.place.call += 1;
        current.place
    }

    /// A call, as its caller experiences it. `apply` may happen never, once or twice, now or later.
    pub(crate) async fn call<T: Told>(
        &self,
        name: &'static str,
        apply: impl Fn(&World) -> T + Send + 'static,
    ) -> T {
        let (place, life) = (self.next(), self.life());
        let fault = self.world.fault(place, name);
        let mut seed = self.world.draw(place, "latency");
        let mut way = || Duration::from_millis(1 + seed.below(12));
        let (go, back) = (way(), way());
        let unheard = 20 * (go + back);
        match fault {
            None => {
                sleep(go).await;
                let told = apply(&self.world);
                sleep(back).await;
                told
            }
            Some(Fault::RequestLost) => {
                sleep(unheard).await;
                T::unknown()
            }
            Some(Fault::ReplyLost) => {
                sleep(go).await;
                drop(apply(&self.world));
                sleep(unheard).await;
                T::unknown()
            }
            Some(Fault::SentTwice) => {
                sleep(go).await;
                drop(apply(&self.world));
                sleep(go).await;
                let told = apply(&self.world);
                sleep(back).await;
                told
            }
            Some(Fault::Late(span)) => {
                let world = Arc::clone(&self.world);
                self.world.spawn(async move {
                    sleep(span).await;
                    drop(apply(&world));
                });
                sleep(unheard.min(span)).await;
                T::unknown()
            }
            Some(Fault::Slow(span)) => {
                let world = Arc::clone(&self.world);
                let told = tokio::spawn(async move {
                    sleep(span).await;
                    apply(&world)
                });
                told.await.unwrap_or_else(|_| T::unknown())
            }
            Some(Fault::Conflict) => {
                sleep(go + back).await;
                T::not_applied(NotApplied::Conflict)
            }
            Some(Fault::Throttled) => {
                sleep(go + back).await;
                T::not_applied(NotApplied::Unavailable)
            }
            Some(Fault::DiesBefore) => life.die().await,
            Some(Fault::DiesAfter) => {
                sleep(go).await;
                drop(apply(&self.world));
                life.die().await
            }
            Some(Fault::StallsBefore(span)) => {
                life.stall(span).await;
                sleep(go).await;
                let told = apply(&self.world);
                sleep(back).await;
                told
            }
            Some(Fault::StallsAfter(span)) => {
                sleep(go).await;
                let told = apply(&self.world);
                life.stall(span).await;
                told
            }
        }
    }

    /// A query of an index, at once: there are many, and little can happen to one that does not to a read.
    pub(crate) fn query<T: Told>(&self, name: &'static str, read: impl FnOnce(&World) -> T) -> T {
        let (place, often) = (self.next(), self.world.plan.weather.network / 10);
        if self.world.goes_wrong(place, name, often) {
            return T::unknown();
        }
        read(&self.world)
    }

    fn current(&self) -> MutexGuard<'_, Invocation> {
        self.invocation
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Told for Answer {
    fn unknown() -> Self {
        Self::Unknown
    }

    fn not_applied(why: NotApplied) -> Self {
        Self::NotApplied(why)
    }
}

impl Told for MarkAnswer {
    fn unknown() -> Self {
        Self::Unknown
    }

    fn not_applied(why: NotApplied) -> Self {
        Self::NotApplied(why)
    }
}

impl Told for Together {
    fn unknown() -> Self {
        Self::Unknown
    }

    fn not_applied(why: NotApplied) -> Self {
        Self::NotApplied(why)
    }
}

impl<T: Send + 'static> Told for Result<T, StoreError> {
    fn unknown() -> Self {
        Err(StoreError::Unavailable("no answer".to_owned()))
    }

    fn not_applied(_: NotApplied) -> Self {
        Err(StoreError::Unavailable("throttled".to_owned()))
    }
}

impl<T: Send + 'static> Told for Result<T, EffectError> {
    fn unknown() -> Self {
        Err(EffectError::Unavailable("no answer".to_owned()))
    }

    fn not_applied(_: NotApplied) -> Self {
        Err(EffectError::Unavailable("busy".to_owned()))
    }
}
