//! Exact decimal numbers.

use std::{fmt, str::FromStr};

use super::number_text::{self, NumberText};

/// The most significant digits that a number may have, leading and trailing zeros not counted. Enough for any amount or
/// measure, little enough that a number is always cheap.
pub const MAX_DIGITS: usize = 64;

/// The largest magnitude is 10^308, the smallest but zero 10^-308: what every reader that uses doubles can also take.
const MAX_EXPONENT: i64 = 308;

/// A decimal number, exact: equal exactly when the values are equal (`1` = `1.0` = `1e0`, `-0` = `0`).
///
/// Its magnitude is 0 or from 10^-308 to 10^308, with at most [`MAX_DIGITS`] significant digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number {
    negative: bool,
    /// Significant digits in ASCII without leading or trailing zeros; empty for zero.
    pub(super) digits: Box<str>,
    /// The value is `0.digits × 10^point` (ECMAScript's `n` in Number::toString); 0 for zero.
    pub(super) point: i64,
}

/// Why a text is not a [`Number`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// The text is not a JSON number.
    #[error("not a JSON number; write digits, with an optional sign, fraction and exponent")]
    Syntax,
    /// The magnitude is over 10^308.
    #[error("the number is beyond ±10^308; use a smaller one, or a string")]
    TooLarge,
    /// The magnitude is not 0 but under 10^-308.
    #[error("the number is closer to zero than 10^-308; use 0, or a string")]
    TooSmall,
    /// There are more than [`MAX_DIGITS`] significant digits.
    #[error("the number has more than {MAX_DIGITS} significant digits; use fewer, or a string")]
    TooManyDigits,
}

impl Number {
    /// A whole number.
    #[must_use]
    pub fn from_i64(number: i64) -> Self {
        Self {
            negative: number < 0,
            ..Self::from_u64(number.unsigned_abs())
        }
    }

    /// A whole number.
    #[must_use]
    pub fn from_u64(number: u64) -> Self {
        let text = number.to_string();
        // Within every bound: an u64 has at most 20 digits.
        let digits = text.trim_start_matches('0').trim_end_matches('0');
        let point = if number == 0 { 0 } else { places(&text) };
        Self {
            negative: false,
            digits: digits.into(),
            point,
        }
    }

    /// The value as an `i64`, when it is a whole number in its range, however it was written (`1.0` is 1).
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        let magnitude = self.whole_magnitude()?;
        if self.negative {
            0_i64.checked_sub_unsigned(magnitude)
        } else {
            magnitude.try_into().ok()
        }
    }

    /// The value as a `u64`, when it is a whole number in its range, however it was written.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        if self.negative {
            None
        } else {
            self.whole_magnitude()
        }
    }

    /// The magnitude, if it is whole and fits.
    fn whole_magnitude(&self) -> Option<u64> {
        if self.digits.is_empty() {
            return Some(0);
        }
        let zeros = u32::try_from(self.point - places(&self.digits)).ok()?;
        self.digits
            .parse::<u64>()
            .ok()?
            .checked_mul(10_u64.checked_pow(zeros)?)
    }

    /// The number that a text of JSON's grammar denotes.
    pub(super) fn from_text(text: NumberText<'_>) -> Result<Self, NumberError> {
        let all = [text.integer, text.fraction].concat();
        let from_first = all.trim_start_matches('0');
        let digits = from_first.trim_end_matches('0');
        if digits.is_empty() {
            return Ok(Self::from_u64(0));
        }
        if digits.len() > MAX_DIGITS {
            return Err(NumberError::TooManyDigits);
        }
        let point = places(text.integer) - (places(&all) - places(from_first)) + text.exponent;
        match point - 1 {
            exponent if exponent < -MAX_EXPONENT => Err(NumberError::TooSmall),
            exponent if exponent > MAX_EXPONENT || (exponent == MAX_EXPONENT && digits != "1") => {
                Err(NumberError::TooLarge)
            }
            _ => Ok(Self {
                negative: text.negative,
                digits: digits.into(),
                point,
            }),
        }
    }
}

/// How many places digits take. A slice is never longer than `isize::MAX`, so that nothing is cut off.
pub(super) fn places(digits: &str) -> i64 {
    i64::try_from(digits.len()).unwrap_or(i64::MAX)
}

impl FromStr for Number {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        match number_text::scan(text) {
            Ok((number, length)) if length == text.len() => Self::from_text(number),
            Ok(_) | Err(_) => Err(NumberError::Syntax),
        }
    }
}

/// Canonical: the layout of ECMAScript's Number::toString (ECMA-262 §6.1.6.1.20), with all the digits of the exact value.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = &*self.digits;
        if digits.is_empty() {
            return f.write_str("0");
        }
        if self.negative {
            f.write_str("-")?;
        }
        match self.point {
            point @ 1..=21 => {
                let point = usize::try_from(point).unwrap_or(usize::MAX);
                match digits.split_at_checked(point) {
                    Some((whole, "")) => f.write_str(whole),
                    Some((whole, fraction)) => write!(f, "{whole}.{fraction}"),
                    None => write!(f, "{digits:0<point$}"),
                }
            }
            point @ -5..=0 => {
                let places = usize::try_from(-point).unwrap_or(usize::MAX) + digits.len();
                write!(f, "0.{digits:0>places$}")
            }
            point => {
                let (first, rest) = digits.split_at(1);
                let dot = if rest.is_empty() { "" } else { "." };
                write!(f, "{first}{dot}{rest}e{:+}", point - 1)
            }
        }
    }
}
