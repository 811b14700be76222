//! The life of an invocation: its process may die, or stand still while time goes on.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use decide_once_service::crash;
use tokio::time::{Instant, Sleep, sleep_until};

/// An invocation's hold on life. Clones are of one invocation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Life(Arc<Mutex<Condition>>);

#[derive(Debug, Default)]
struct Condition {
    dead: bool,
    /// Where it is to die.
    dies_at: Option<&'static str>,
    stands_still_until: Option<Instant>,
}

impl Life {
    /// One that ends at this crash point, if it gets there.
    pub(crate) fn until(point: Option<&'static str>) -> Self {
        let life = Self::default();
        life.condition().dies_at = point;
        life
    }

    /// The process ends: whoever is in it is never heard of again.
    pub(crate) async fn die<T>(&self) -> T {
        self.condition().dead = true;
        std::future::pending().await
    }

    /// The process stands still, then goes on as if nothing had been.
    pub(crate) async fn stall(&self, span: Duration) {
        self.condition().stands_still_until = Some(Instant::now() + span);
        tokio::task::yield_now().await;
    }

    /// Whether its process has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.condition().dead
    }

    /// What comes of `work`; `None` if its process dies before, or is killed because it takes longer than `longest`.
    pub(crate) async fn live<T>(
        &self,
        longest: Duration,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let work = pin!(work);
        let lived = Lived {
            life: self,
            work,
            pause: None,
        };
        match tokio::time::timeout(longest, lived).await {
            Ok(lived) => lived,
            Err(_) => {
                self.condition().dead = true;
                None
            }
        }
    }

    fn condition(&self) -> MutexGuard<'_, Condition> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Lived<'a, W> {
    life: &'a Life,
    work: Pin<&'a mut W>,
    pause: Option<Pin<Box<Sleep>>>,
}

impl<T, W: Future<Output = T>> Future for Lived<'_, W> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        loop {
            if let Some(pause) = &mut self.pause {
                if pause.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                self.pause = None;
            }
            let dies_at = self.life.condition().dies_at;
            let polled = match dies_at {
                None => self.work.as_mut().poll(context),
                Some(point) => {
                    let (polled, there) =
                        crash::stranding(point, || self.work.as_mut().poll(context));
                    self.life.condition().dead |= there;
                    polled
                }
            };
            let mut condition = self.life.condition();
            if condition.dead {
                return Poll::Ready(None);
            }
            match (condition.stands_still_until.take(), polled) {
                (_, Poll::Ready(done)) => return Poll::Ready(Some(done)),
                (None, Poll::Pending) => return Poll::Pending,
                (Some(until), Poll::Pending) => {
                    drop(condition);
                    self.pause = Some(Box::pin(sleep_until(until)));
                }
            }
        }
    }
}
