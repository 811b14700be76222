//! The same seed is the same history.

use decide_once_simulation::{Plan, simulate};

#[test]
fn the_same_seed_twice_is_the_same_history_in_every_entry() {
    for seed in 0..40 {
        let (one, other) = (simulate(&Plan::of(seed)), simulate(&Plan::of(seed)));
        for (entry, again) in one.entries.iter().zip(&other.entries) {
            assert_eq!(entry, again, "seed {seed}");
        }
        assert_eq!(one, other, "seed {seed}");
    }
}

#[test]
fn another_seed_is_another_history() {
    assert_ne!(
        simulate(&Plan::of(1)).entries,
        simulate(&Plan::of(2)).entries
    );
}
