//! How large a value can be, before there is one.

/// The largest size of a value: what it costs to copy or to compare it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// Of text, and of numbers as text.
    pub(crate) bytes: u64,
    /// Values inside it and itself: every item and every member is an allocation of its own.
    pub(crate) cells: u64,
}

impl Size {
    pub(crate) const NOTHING: Self = Self { bytes: 0, cells: 0 };

    /// A value without parts.
    pub(crate) const fn scalar(bytes: u64) -> Self {
        Self { bytes, cells: 1 }
    }

    /// Any JSON value in a text of so many bytes: an item takes at least two of them (`1,`).
    pub(crate) const fn within(bytes: u64) -> Self {
        Self {
            bytes,
            cells: bytes / 2,
        }
    }

    /// Both together.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(other.bytes),
            cells: self.cells.saturating_add(other.cells),
        }
    }

    /// So many of them.
    pub(crate) const fn times(self, count: u64) -> Self {
        Self {
            bytes: self.bytes.saturating_mul(count),
            cells: self.cells.saturating_mul(count),
        }
    }

    /// Either of them.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.max(other.bytes),
            cells: self.cells.max(other.cells),
        }
    }

    /// Not more than the other, in neither respect.
    pub(crate) fn at_most(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.min(other.bytes),
            cells: self.cells.min(other.cells),
        }
    }

    /// The work of copying, in about nanoseconds.
    pub(crate) const fn copying(self) -> u64 {
        self.cells.saturating_mul(150).saturating_add(self.bytes)
    }

    /// The work of comparing with an equal value, in about nanoseconds.
    pub(crate) const fn comparing(self) -> u64 {
        self.cells.saturating_mul(50).saturating_add(self.bytes)
    }
}
