//! Why a text is not JSON that this service accepts.

use super::{MAX_DEPTH, MAX_DIGITS};

/// Why a text was refused. Messages say where (a byte offset from 0) and what to do, and never repeat any of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// There is nothing but white space.
    #[error("the text is empty; send a JSON value")]
    Empty,
    /// The text begins with a byte order mark.
    #[error(
        "the text begins with a byte order mark (BOM, the bytes EF BB BF); send UTF-8 without it"
    )]
    ByteOrderMark,
    /// The bytes are not UTF-8.
    #[error("byte {at} is not valid UTF-8; encode the text as UTF-8")]
    NotUtf8 {
        /// Offset of the first byte that does not belong to a character.
        at: usize,
    },
    /// Another character is needed here.
    #[error("byte {at}: expected {expected}; correct the JSON")]
    Unexpected {
        /// Offset of the character.
        at: usize,
        /// What would have been right.
        expected: &'static str,
    },
    /// The text ends too early.
    #[error("the text ends at byte {at}, where {expected} is expected; send the complete JSON")]
    UnexpectedEnd {
        /// Length of the text in bytes.
        at: usize,
        /// What would have been right.
        expected: &'static str,
    },
    /// Something follows the value.
    #[error("byte {at}: something follows the JSON value; send one value and nothing after it")]
    TrailingData {
        /// Offset of the first byte after the value that is not white space.
        at: usize,
    },
    /// Two members of one object have the same name, after escapes are resolved.
    #[error("byte {at}: this member name occurs twice in one object; send each name once")]
    DuplicateMember {
        /// Offset of the second name.
        at: usize,
    },
    /// Half of a surrogate pair stands alone.
    #[error(
        "byte {at}: the escape is half of a surrogate pair; send both halves, or the character itself"
    )]
    LoneSurrogate {
        /// Offset of the escape.
        at: usize,
    },
    /// An escape that JSON does not have.
    #[error(
        "byte {at}: this is not a JSON escape; use one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\uXXXX"
    )]
    BadEscape {
        /// Offset of the backslash.
        at: usize,
    },
    /// A control character stands in a string unescaped.
    #[error("byte {at}: a control character in a string; write it as an escape")]
    ControlCharacter {
        /// Offset of the character.
        at: usize,
    },
    /// Arrays and objects are nested too deep.
    #[error(
        "byte {at}: arrays and objects are nested deeper than {MAX_DEPTH} levels; send a flatter value"
    )]
    TooDeep {
        /// Offset of the bracket that opens the level too many.
        at: usize,
    },
    /// A number's magnitude is over 10^308.
    #[error("byte {at}: the number is beyond ±10^308; send a smaller one, or a string")]
    NumberTooLarge {
        /// Offset of the number.
        at: usize,
    },
    /// A number that is not zero has a magnitude under 10^-308.
    #[error("byte {at}: the number is closer to zero than 10^-308; send 0, or a string")]
    NumberTooSmall {
        /// Offset of the number.
        at: usize,
    },
    /// A number has more significant digits than are kept.
    #[error(
        "byte {at}: the number has more than {MAX_DIGITS} significant digits; send fewer, or a string"
    )]
    TooManyDigits {
        /// Offset of the number.
        at: usize,
    },
}
