//! How far the partitions of an index have been read.

/// The partitions of an index, each read page by page to its end, then again from its beginning.
#[derive(Debug)]
pub(super) struct Laps<K>(Vec<Lap<K>>);

#[derive(Debug)]
struct Lap<K> {
    /// The last entry that was read, if the end was not reached behind it.
    after: Option<K>,
    /// Whether the end was reached in this sweep.
    done: bool,
}

impl<K: Clone> Laps<K> {
    /// So many partitions, at their beginnings.
    pub(super) fn of(partitions: u8) -> Self {
        let lap = |_| Lap {
            after: None,
            done: false,
        };
        Self((0..partitions).map(lap).collect())
    }

    /// A sweep begins: every partition has an end to be reached.
    pub(super) fn begin(&mut self) {
        for lap in &mut self.0 {
            lap.done = false;
        }
    }

    /// Where to go on in each partition whose end was not reached yet.
    pub(super) fn open(&self) -> Vec<(u8, Option<K>)> {
        (0..)
            .zip(&self.0)
            .filter(|(_, lap)| !lap.done)
            .map(|(partition, lap)| (partition, lap.after.clone()))
            .collect()
    }

    /// Whether every end was reached.
    pub(super) fn is_done(&self) -> bool {
        self.0.iter().all(|lap| lap.done)
    }

    /// A page of at most `most` entries was read; its last one is `last`.
    pub(super) fn read(&mut self, partition: u8, entries: usize, most: u32, last: Option<&K>) {
        let Some(lap) = self.0.get_mut(usize::from(partition)) else {
            return;
        };
        lap.done = entries < usize::try_from(most).unwrap_or(usize::MAX);
        lap.after = if lap.done { None } else { last.cloned() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_partition_goes_on_where_it_stopped_and_begins_anew_behind_its_end() {
        let mut laps = Laps::of(2);
        assert_eq!(laps.open(), [(0, None), (1, None)]);
        laps.read(0, 2, 2, Some(&"b"));
        laps.read(1, 1, 2, Some(&"x"));
        assert_eq!(laps.open(), [(0, Some("b"))]);
        assert!(!laps.is_done());
        laps.begin();
        assert_eq!(laps.open(), [(0, Some("b")), (1, None)]);
        laps.read(0, 0, 2, None);
        laps.read(1, 0, 2, None);
        assert!(laps.is_done());
        laps.begin();
        assert_eq!(laps.open(), [(0, None), (1, None)]);
    }
}
