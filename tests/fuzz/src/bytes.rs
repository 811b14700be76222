//! Values out of bytes, so that a fuzzer that changes bytes changes values.

use decide_once_protocol::time::Timestamp;
use decide_once_tests::samples::{NOW, at};

/// Bytes that are used up; behind their end come zeros.
#[derive(Debug)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Bytes<'_> {
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    pub(crate) fn array<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.byte() % 2 == 1
    }

    /// A small number often, any number sometimes.
    pub(crate) fn number(&mut self) -> u32 {
        match self.byte() {
            255 => u32::from_be_bytes(self.array()),
            small => small.into(),
        }
    }

    pub(crate) fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[usize::from(self.byte()) % from.len()]
    }

    /// At most 255 bytes of text, of any characters.
    pub(crate) fn text(&mut self) -> String {
        let length = usize::from(self.byte()).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    /// A text that `parse` takes, or `otherwise`.
    pub(crate) fn parsed<T>(&mut self, parse: impl Fn(&str) -> Option<T>, otherwise: T) -> T {
        parse(&self.text()).unwrap_or(otherwise)
    }

    /// Near the samples' instants often, anywhere from 1970 to 9999 sometimes.
    pub(crate) fn instant(&mut self) -> Timestamp {
        let near = i64::from(self.number());
        if self.flag() {
            let anywhere = i64::from_be_bytes(self.array());
            Timestamp::from_millis(anywhere >> 16).unwrap_or(Timestamp::EPOCH)
        } else {
            at(NOW + near)
        }
    }

    /// At most so many of what `make` makes.
    pub(crate) fn some<T>(&mut self, most: u8, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.byte() % (most + 1);
        (0..count).map(|_| make(self)).collect()
    }
}
