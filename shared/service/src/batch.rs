//! A batch of things that are handled side by side, those of one lane in single file.

use std::hash::Hash;
use std::num::NonZeroUsize;
use std::panic::AssertUnwindSafe;

use decide_once_protocol::lanes::Lanes;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};

/// Handles `items`, at most `at_once` at a time, and tells what became of each, in their order. Of two items with the same `lane` the later
/// one is not begun before the earlier one has come to something behind which others may go on; if it does not, nothing
/// becomes of those behind it (`None`). Nothing becomes of one that panics, either, and of those behind it; the others go on: a mistake that one
/// item brings to light is not for its neighbours to bear.
pub async fn in_lanes<'a, T, K, R, F>(
    items: &'a [T],
    lane: impl Fn(&'a T) -> K,
    at_once: NonZeroUsize,
    handle: impl Fn(&'a T) -> F,
    goes_on: impl Fn(&R) -> bool,
) -> Vec<Option<R>>
where
    K: Hash + Eq,
    F: Future<Output = R>,
{
    let mut lanes = Lanes::by(items.iter().map(lane));
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let mut running = FuturesUnordered::new();
    loop {
        for index in lanes.take(at_once.get() - running.len()) {
            let handle = &handle;
            let handled = async move { handle(&items[index]).await };
            // Nothing is looked at that a panic may have left half done: its item has no result.
            let caught = AssertUnwindSafe(handled).catch_unwind();
            running.push(caught.map(move |result| (index, result.ok())));
        }
        let Some((index, result)) = running.next().await else {
            return results;
        };
        let Some(result) = result else {
            continue;
        };
        if goes_on(&result) {
            lanes.done(index);
        }
        results[index] = Some(result);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use std::cell::RefCell;

    use super::*;

    #[tokio::test]
    async fn lanes_go_side_by_side_and_what_is_behind_a_stop_is_not_begun() {
        let items = [("a", 1), ("b", 2), ("a", 3), ("a", 4), ("c", 5), ("b", 6)];
        let order = RefCell::new(Vec::new());
        let results = in_lanes(
            &items,
            |(lane, _)| *lane,
            NonZeroUsize::new(2).unwrap(),
            async |(lane, number)| {
                order.borrow_mut().push(*number);
                if *lane == "b" {
                    tokio::task::yield_now().await;
                }
                *number
            },
            |number| *number != 3,
        )
        .await;
        assert_eq!(results, [Some(1), Some(2), Some(3), None, Some(5), Some(6)]);
        let place = |number| order.borrow().iter().position(|it| *it == number).unwrap();
        assert!(place(1) < place(3) && place(2) < place(6));
    }

    #[tokio::test]
    async fn one_that_panics_takes_nobody_along_but_those_behind_it() {
        let items = [("a", 1), ("b", 2), ("a", 3), ("c", 4)];
        let handle = async |(_, number): &(&str, u8)| {
            assert!(*number != 1, "this is the panic of the test");
            *number
        };
        let at_once = NonZeroUsize::new(2).unwrap();
        let results = in_lanes(&items, |(lane, _)| *lane, at_once, handle, |_| true).await;
        assert_eq!(results, [None, Some(2), None, Some(4)]);
    }
}
