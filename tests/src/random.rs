//! Choices that can be made again: `DECIDE_ONCE_SEED`.

use std::{
    env,
    time::{SystemTime, UNIX_EPOCH},
};

/// The seed that the environment names, or another one for each run; told, for the next run.
///
/// # Panics
/// It names no number.
pub fn seed() -> u64 {
    let seed = match env::var("DECIDE_ONCE_SEED") {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            u64::from(now.subsec_nanos())
        }
    };
    eprintln!("DECIDE_ONCE_SEED={seed}");
    seed
}

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// From 0 to below `bound`.
    ///
    /// # Panics
    /// It is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let bound = u64::try_from(bound).unwrap();
        usize::try_from(mixed % bound).unwrap()
    }
}
