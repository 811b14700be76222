//! The randomness of pauses: apart from [`Ids`](crate::ports::Ids), because nothing is named by it.

use std::cell::Cell;
use std::time::Duration;

use uuid::Uuid;

thread_local! {
    /// Where this thread's sequence stands; seeded by the system.
    static STATE: Cell<u64> = Cell::new(Uuid::new_v4().as_u64_pair().0);
}

/// Begins this thread's sequence anew: the same number makes the same pauses. For simulations.
#[cfg(feature = "local")]
pub fn seed(number: u64) {
    STATE.set(number);
}

/// Between a half and the whole, so that those who wait for one thing do not ask at one time.
pub(crate) fn jittered(pause: Duration) -> Duration {
    let share = u32::from(random());
    pause / 2 + pause / 2 * share / 255
}

/// The top byte of SplitMix64 (<https://prng.di.unimi.it/splitmix64.c>).
fn random() -> u8 {
    let state = STATE.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
    STATE.set(state);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)).to_be_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_jittered_by_up_to_a_half() {
        let longest = Duration::from_millis(500);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..100 {
            let pause = jittered(longest);
            assert!((longest / 2..=longest).contains(&pause), "{pause:?}");
            seen.insert(pause);
        }
        assert!(seen.len() > 50, "{seen:?}");
    }
}
