//! Reading JSON strictly (RFC 8259, and what I-JSON, RFC 7493, asks for).

use super::{JsonError, Number, NumberError, Object, Value, number_text};

/// How deep arrays and objects may be nested.
pub const MAX_DEPTH: usize = 64;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads one JSON value, strictly: nothing is guessed, repaired or rounded.
///
/// # Errors
/// Refused are: duplicate member names (compared after escapes are resolved), lone surrogates, a byte order mark, invalid UTF-8,
/// anything after the value, nesting deeper than [`MAX_DEPTH`], numbers that [`Number`] does not hold, and all that is not JSON.
pub fn parse(input: &[u8]) -> Result<Value, JsonError> {
    if input.starts_with(BYTE_ORDER_MARK) {
        return Err(JsonError::ByteOrderMark);
    }
    let text = std::str::from_utf8(input).map_err(|error| JsonError::NotUtf8 {
        at: error.valid_up_to(),
    })?;
    let mut reader = Reader { text, at: 0 };
    reader.skip_space();
    if reader.peek().is_none() {
        return Err(JsonError::Empty);
    }
    let value = reader.value(0)?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(JsonError::TrailingData { at: reader.at }),
    }
}

struct Reader<'a> {
    text: &'a str,
    /// Offset of the next byte; always on a character's boundary when text is cut out.
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes `token` if it is next.
    fn take(&mut self, token: u8) -> bool {
        let found = self.peek() == Some(token);
        if found {
            self.at += 1;
        }
        found
    }

    fn expected(&self, expected: &'static str) -> JsonError {
        match self.peek() {
            Some(_) => JsonError::Unexpected {
                at: self.at,
                expected,
            },
            None => JsonError::UnexpectedEnd {
                at: self.at,
                expected,
            },
        }
    }

    /// A value inside `depth` arrays and objects.
    fn value(&mut self, depth: usize) -> Result<Value, JsonError> {
        match self.peek() {
            Some(b'{') => self.object(depth).map(Value::Object),
            Some(b'[') => self.array(depth).map(Value::Array),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(_) | None => Err(self.expected("a JSON value")),
        }
    }

    fn word(&mut self, word: &'static str, value: Value) -> Result<Value, JsonError> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.expected("true, false or null"));
        }
        self.at += word.len();
        Ok(value)
    }

    /// Steps over the bracket that opens one more level.
    fn open(&mut self, depth: usize) -> Result<(), JsonError> {
        if depth >= MAX_DEPTH {
            return Err(JsonError::TooDeep { at: self.at });
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    fn object(&mut self, depth: usize) -> Result<Object, JsonError> {
        self.open(depth)?;
        let mut object = Object::new();
        if self.take(b'}') {
            return Ok(object);
        }
        loop {
            let name_at = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.expected("a member name in double quotes"));
            }
            let name = self.string()?;
            self.skip_space();
            if !self.take(b':') {
                return Err(self.expected("':' after the member name"));
            }
            self.skip_space();
            let value = self.value(depth + 1)?;
            if object.insert(name, value).is_some() {
                return Err(JsonError::DuplicateMember { at: name_at });
            }
            self.skip_space();
            if self.take(b'}') {
                return Ok(object);
            }
            if !self.take(b',') {
                return Err(self.expected("',' or '}' after the member"));
            }
            self.skip_space();
        }
    }

    fn array(&mut self, depth: usize) -> Result<Vec<Value>, JsonError> {
        self.open(depth)?;
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(items);
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(items);
            }
            if !self.take(b',') {
                return Err(self.expected("',' or ']' after the element"));
            }
            self.skip_space();
        }
    }

    fn number(&mut self) -> Result<Number, JsonError> {
        let at = self.at;
        let (text, length) = number_text::scan(&self.text[at..]).map_err(|missing| {
            self.at = at + missing;
            self.expected("a digit")
        })?;
        self.at = at + length;
        Number::from_text(text).map_err(|error| match error {
            NumberError::Syntax => JsonError::Unexpected {
                at,
                expected: "a number",
            },
            NumberError::TooLarge => JsonError::NumberTooLarge { at },
            NumberError::TooSmall => JsonError::NumberTooSmall { at },
            NumberError::TooManyDigits => JsonError::TooManyDigits { at },
        })
    }

    /// The string whose opening quote is next.
    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let from = self.at;
            while matches!(self.peek(), Some(byte) if byte >= b' ' && byte != b'"' && byte != b'\\')
            {
                self.at += 1;
            }
            out.push_str(&self.text[from..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(JsonError::ControlCharacter { at: self.at }),
                None => return Err(self.expected("'\"' at the end of the string")),
            }
        }
    }

    /// The character that the escape at the next backslash stands for.
    fn escape(&mut self) -> Result<char, JsonError> {
        let at = self.at;
        self.at += 1;
        let short = match self.peek() {
            Some(b'u') => return self.unicode_escape(at),
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(_) => return Err(JsonError::BadEscape { at }),
            None => return Err(self.expected("the rest of an escape")),
        };
        self.at += 1;
        Ok(short)
    }

    /// `\uXXXX`, or the pair of them that stands for a character beyond the BMP. The `u` is next; the escape begins `at`.
    fn unicode_escape(&mut self, at: usize) -> Result<char, JsonError> {
        self.at += 1;
        let first = self.code_unit(at)?;
        let mut second = None;
        if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            let second_at = self.at;
            self.at += 2;
            second = Some(self.code_unit(second_at)?);
        }
        match char::decode_utf16([first].into_iter().chain(second)).next() {
            Some(Ok(character)) => Ok(character),
            Some(Err(_)) | None => Err(JsonError::LoneSurrogate { at }),
        }
    }

    /// Four hexadecimal digits of the escape that begins at `escape_at`.
    fn code_unit(&mut self, escape_at: usize) -> Result<u16, JsonError> {
        let mut unit = 0;
        for _ in 0..4 {
            let Some(byte) = self.peek() else {
                return Err(self.expected("the rest of an escape"));
            };
            let Some(digit) = char::from(byte).to_digit(16) else {
                return Err(JsonError::BadEscape { at: escape_at });
            };
            unit = unit << 4 | digit;
            self.at += 1;
        }
        u16::try_from(unit).map_err(|_| JsonError::BadEscape { at: escape_at })
    }
}
