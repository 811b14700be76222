//! Choices that a number decides, so that the same number makes the same history: `DECIDE_ONCE_SEED`.

use std::env;
use std::time::{SystemTime, UNIX_EPOCH};

/// SplitMix64 (<https://prng.di.unimi.it/splitmix64.c>): small, and good enough to choose what goes wrong next.
#[derive(Debug, Clone)]
pub struct Seed(u64);

/// The number that the environment names, or another one for each run; told, for the next run.
///
/// # Panics
/// It names no number.
#[must_use]
pub fn of_this_run() -> u64 {
    let number = match env::var("DECIDE_ONCE_SEED") {
        Ok(number) => number.parse().unwrap(),
        Err(_) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            u64::from(now.subsec_nanos())
        }
    };
    eprintln!("DECIDE_ONCE_SEED={number}");
    number
}

impl Seed {
    /// The history of this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// One of the numbers below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.number() % end
    }

    /// A place in a list of this length.
    ///
    /// # Panics
    /// It is empty.
    pub fn index(&mut self, length: usize) -> usize {
        let length = u64::try_from(length).unwrap();
        usize::try_from(self.below(length)).unwrap()
    }

    /// True this many times in a hundred.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
