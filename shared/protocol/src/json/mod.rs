//! JSON as this service understands it: read strictly, nothing rounded, one canonical form.
//!
//! General-purpose readers keep the last of two equal member names and round numbers to doubles; either would let two
//! different requests look the same (or one look like two). [`parse`] refuses what has more than one reading, and [`Number`]
//! is an exact decimal, so that [`Value::canonical`] is the same text exactly for equal values.

mod canonical;
mod double;
mod error;
mod number;
mod number_text;
mod object;
mod pointer;
mod reader;
mod string;
mod value;

pub use error::JsonError;
pub use number::{MAX_DIGITS, Number, NumberError};
pub use object::{Object, object};
pub use pointer::escape as escape_pointer_token;
pub(crate) use pointer::is_nameable;
pub use reader::{MAX_DEPTH, parse};
pub use value::Value;
