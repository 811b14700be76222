//! The grammar of a JSON number (RFC 8259 §6), apart from its value.

/// Exponents beyond this are cut off to it: far outside every bound, and sums with a text's length cannot overflow.
const EXPONENT_CAP: i64 = 1 << 48;

/// The parts of a number's text.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberText<'a> {
    pub(super) negative: bool,
    /// Digits before the point.
    pub(super) integer: &'a str,
    /// Digits after the point; may be empty.
    pub(super) fraction: &'a str,
    /// The written exponent, 0 if there is none, cut off to `±EXPONENT_CAP`.
    pub(super) exponent: i64,
}

/// Reads the number at the beginning of `text`: its parts and its length in bytes, or the offset where a digit is missing.
pub(super) fn scan(text: &str) -> Result<(NumberText<'_>, usize), usize> {
    let mut cursor = Cursor { text, at: 0 };
    let negative = cursor.take("-");
    // A leading zero stands alone.
    let integer = if cursor.take("0") {
        "0"
    } else {
        cursor.digits()?
    };
    let fraction = if cursor.take(".") {
        cursor.digits()?
    } else {
        ""
    };
    let exponent = if cursor.take("e") || cursor.take("E") {
        cursor.exponent()?
    } else {
        0
    };
    Ok((
        NumberText {
            negative,
            integer,
            fraction,
            exponent,
        },
        cursor.at,
    ))
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, token: &str) -> bool {
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// At least one digit.
    fn digits(&mut self) -> Result<&'a str, usize> {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 {
            return Err(self.at);
        }
        self.at += length;
        Ok(&rest[..length])
    }

    fn exponent(&mut self) -> Result<i64, usize> {
        let negative = self.take("-");
        if !negative {
            self.take("+");
        }
        // Digits that do not fit in an i64 are as good as the cap.
        let magnitude = self
            .digits()?
            .parse()
            .map_or(EXPONENT_CAP, |exponent: i64| exponent.min(EXPONENT_CAP));
        Ok(if negative { -magnitude } else { magnitude })
    }
}
