//! An answer's body that ends in its middle.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

/// How long the first half has to get out: what is written and not sent yet would go with the connection.
const TIME_TO_LEAVE: Duration = Duration::from_millis(5);

/// Announces a whole body, and ends its connection behind the first half.
#[derive(Debug)]
pub(super) struct Cut {
    whole: Bytes,
    is_half_sent: bool,
    leaves: Pin<Box<Sleep>>,
}

/// Where the body ends.
#[derive(Debug, thiserror::Error)]
#[error("an armed fault cut the answer")]
pub(super) struct CutHere;

impl Cut {
    pub(super) fn of(whole: Bytes) -> Self {
        Self {
            whole,
            is_half_sent: false,
            leaves: Box::pin(sleep(TIME_TO_LEAVE)),
        }
    }
}

impl Body for Cut {
    type Data = Bytes;
    type Error = CutHere;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutHere>>> {
        if self.is_half_sent {
            ready!(self.leaves.as_mut().poll(context));
            return Poll::Ready(Some(Err(CutHere)));
        }
        self.is_half_sent = true;
        let half = self.whole.slice(..self.whole.len() / 2);
        Poll::Ready(Some(Ok(Frame::data(half))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(u64::try_from(self.whole.len()).unwrap_or(u64::MAX))
    }
}
