//! Two other JSON readers judge the same texts, many of them broken on purpose.
//!
//! Where the service is stricter than JSON (duplicates, depth, bounds of numbers) the oracles' events are judged by those rules too.

use decide_once_protocol::json::{self, JsonError, MAX_DEPTH, NumberError, Object, Value};
use json_event_parser::{JsonEvent, SliceJsonParser};
use struson::reader::{JsonReader, JsonStreamReader, ReaderError, ReaderSettings, ValueType};

use crate::support::{B0, Dice};

/// What an oracle says of a text.
#[derive(Debug, PartialEq)]
enum Verdict {
    Value(Value),
    /// JSON, but refused by rules of this service.
    TooStrange,
    NotJson,
}

/// A value being built from events; `None` once a rule of this service is broken.
fn number(text: &str) -> Option<Value> {
    match text.parse() {
        Ok(number) => Some(Value::Number(number)),
        Err(NumberError::Syntax) => panic!("an oracle took {text} for a number"),
        Err(_) => None,
    }
}

fn within_depth(depth: usize, value: Option<Value>) -> Option<Value> {
    if depth < MAX_DEPTH { value } else { None }
}

fn verdict(read: Result<Option<Value>, ()>) -> Verdict {
    match read {
        Ok(Some(value)) => Verdict::Value(value),
        Ok(None) => Verdict::TooStrange,
        Err(()) => Verdict::NotJson,
    }
}

fn by_event_parser(text: &[u8]) -> Verdict {
    fn next<'a>(parser: &mut SliceJsonParser<'a>) -> Result<JsonEvent<'a>, ()> {
        parser.parse_next().map_err(|_| ())
    }
    fn value(
        parser: &mut SliceJsonParser<'_>,
        event: JsonEvent<'_>,
        depth: usize,
    ) -> Result<Option<Value>, ()> {
        Ok(match event {
            JsonEvent::Null => Some(Value::Null),
            JsonEvent::Boolean(truth) => Some(truth.into()),
            JsonEvent::Number(text) => number(&text),
            JsonEvent::String(text) => Some(Value::String(text.into())),
            JsonEvent::StartArray => {
                let mut items = Some(Vec::new());
                loop {
                    match next(parser)? {
                        JsonEvent::EndArray => {
                            return Ok(within_depth(depth, items.map(Value::Array)));
                        }
                        event => match value(parser, event, depth + 1)? {
                            Some(item) => {
                                items.iter_mut().for_each(|items| items.push(item.clone()))
                            }
                            None => items = None,
                        },
                    }
                }
            }
            JsonEvent::StartObject => {
                let mut object = Some(Object::new());
                loop {
                    let JsonEvent::ObjectKey(name) = next(parser)? else {
                        return Ok(within_depth(depth, object.map(Value::Object)));
                    };
                    let event = next(parser)?;
                    let member = value(parser, event, depth + 1)?;
                    object = add(object, &name, member);
                }
            }
            JsonEvent::EndArray
            | JsonEvent::EndObject
            | JsonEvent::ObjectKey(_)
            | JsonEvent::Eof => return Err(()),
        })
    }
    let mut parser = SliceJsonParser::new(text);
    verdict((|| {
        let event = next(&mut parser)?;
        let value = value(&mut parser, event, 0)?;
        if next(&mut parser)? == JsonEvent::Eof {
            Ok(value)
        } else {
            Err(())
        }
    })())
}

fn by_struson(text: &[u8]) -> Verdict {
    fn value(
        reader: &mut JsonStreamReader<&[u8]>,
        depth: usize,
    ) -> Result<Option<Value>, ReaderError> {
        Ok(match reader.peek()? {
            ValueType::Null => reader.next_null().map(|()| Some(Value::Null))?,
            ValueType::Boolean => Some(reader.next_bool()?.into()),
            ValueType::Number => number(reader.next_number_as_str()?),
            ValueType::String => Some(reader.next_string()?.into()),
            ValueType::Array => {
                reader.begin_array()?;
                let mut items = Some(Vec::new());
                while reader.has_next()? {
                    let item = value(reader, depth + 1)?;
                    items = items.zip(item).map(|(mut items, item)| {
                        items.push(item);
                        items
                    });
                }
                reader.end_array()?;
                within_depth(depth, items.map(Value::Array))
            }
            ValueType::Object => {
                reader.begin_object()?;
                let mut object = Some(Object::new());
                while reader.has_next()? {
                    let name = reader.next_name_owned()?;
                    let member = value(reader, depth + 1)?;
                    object = add(object, &name, member);
                }
                reader.end_object()?;
                within_depth(depth, object.map(Value::Object))
            }
        })
    }
    let settings = ReaderSettings {
        max_nesting_depth: None,
        restrict_number_values: false,
        ..ReaderSettings::default()
    };
    let mut reader = JsonStreamReader::new_custom(text, settings);
    let value = value(&mut reader, 0)
        .and_then(|value| reader.consume_trailing_whitespace().map(|()| value));
    verdict(value.map_err(|_| ()))
}

/// The object with one more member, unless it has that member.
fn add(object: Option<Object>, name: &str, member: Option<Value>) -> Option<Object> {
    let (mut object, member) = object.zip(member)?;
    match object.insert(name, member) {
        None => Some(object),
        Some(_) => None,
    }
}

fn assert_agreed(text: &[u8], oracle: &str, theirs: &Verdict) {
    let ours = json::parse(text);
    let agreed = match &ours {
        Ok(value) => matches!(theirs, Verdict::Value(theirs) if theirs == value),
        // The reader stops here; what the oracle finds further on does not matter.
        Err(
            JsonError::DuplicateMember { .. }
            | JsonError::TooDeep { .. }
            | JsonError::NumberTooLarge { .. }
            | JsonError::NumberTooSmall { .. }
            | JsonError::TooManyDigits { .. },
        ) => !matches!(theirs, Verdict::Value(_)),
        // Readers may ignore a byte order mark (RFC 8259 section 8.1).
        Err(JsonError::ByteOrderMark) => true,
        Err(_) => *theirs == Verdict::NotJson,
    };
    assert!(
        agreed,
        "{:?}\nours: {ours:?}\n{oracle}: {theirs:?}",
        String::from_utf8_lossy(text)
    );
}

const TEXTS: [&str; 8] = [
    B0,
    r#"{"a":[1,-2.50,3e+4,0.5E-6,0,-0],"b":{"c":{},"d":[]},"":null,"t":true,"f":false}"#,
    r#"["\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00","é😀 ",""]"#,
    " [ 1 , { \"x\" : \"y\" } ]\r\n\t",
    r#"{"amount":1,"\u0061mount":2}"#,
    r#"[12345678901234567890123456789012345678901234567890123456789012345,1e308,1e309,1e-309]"#,
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    "\"\u{7f}\u{80}\u{2028}\"",
];

/// Pieces that break or bend a text where they land.
const PIECES: [&[u8]; 40] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u",
    b"\\u12",
    b"\\ud83d",
    b"\\ude00",
    b"\\n",
    b"\\x",
    b"0",
    b"00",
    b"1",
    b"-",
    b"+",
    b".",
    b"e",
    b"E5",
    b"e400",
    b"e-400",
    b"true",
    b"null",
    b"fals",
    b"NaN",
    b" ",
    b"\n",
    b"\x0c",
    b"\0",
    b"\x1f",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\xbd",
    b"\xef\xbb\xbf",
    b"\xc2\xa0",
    b"/*x*/",
    b"\"a\":1,",
];

fn mutate(text: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.below(text.len() + 1);
    let end = (at + dice.below(4)).min(text.len());
    match dice.below(4) {
        0 => drop(text.splice(at..at, dice.pick(&PIECES).iter().copied())),
        1 => drop(text.splice(at..end, dice.pick(&PIECES).iter().copied())),
        2 => drop(text.drain(at..end)),
        _ => {
            let from = dice.below(text.len() + 1);
            let copied = text[from..(from + dice.below(12)).min(text.len())].to_vec();
            drop(text.splice(at..at, copied));
        }
    }
}

#[test]
fn two_other_readers_agree_on_60_000_mutated_texts() {
    let mut dice = Dice::new(0x5eed_0001);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..60_000 {
        let mut text = TEXTS[round % TEXTS.len()].as_bytes().to_vec();
        for _ in 0..dice.below(4) {
            mutate(&mut text, &mut dice);
        }
        assert_agreed(&text, "json-event-parser", &by_event_parser(&text));
        assert_agreed(&text, "struson", &by_struson(&text));
        if json::parse(&text).is_ok() {
            accepted += 1
        } else {
            refused += 1
        }
    }
    assert!(
        accepted > 10_000 && refused > 10_000,
        "{accepted} accepted, {refused} refused: the texts judge nothing"
    );
}
