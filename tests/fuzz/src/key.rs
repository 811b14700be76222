//! The header field that carries the key.

use decide_once_protocol::key::{
    IdempotencyKey, InvalidKey, KeyError, MAX_KEY_LENGTH, parse_header,
};

/// Each line of the input is a header line.
///
/// * One line is read as [`expected`] reads it: independently, character by character.
/// * A key that was read comes back from its own header value, quoted as bare, and with white space around it.
/// * Two lines are never a key.
///
/// # Panics
/// One of these does not hold.
pub fn target(data: &[u8]) {
    let lines: Vec<&[u8]> = data.split(|byte| *byte == b'\n').collect();
    let read = parse_header(&lines);
    let [line] = lines[..] else {
        assert_eq!(read, Err(KeyError::Invalid(InvalidKey::Repeated)));
        return;
    };
    let expected = expected(line);
    let key = match (&read, &expected) {
        (Ok(key), Some(expected)) => {
            assert_eq!(key.as_str(), expected);
            key
        }
        (Err(KeyError::Invalid(_)), None) => return,
        (read, expected) => panic!("{read:?}, expected {expected:?}"),
    };
    let value = key.header_value();
    let quoted = format!(
        r#""{}""#,
        key.as_str().replace('\\', r"\\").replace('"', r#"\""#)
    );
    for line in [&value, &quoted, &format!("\t {value} \t")] {
        assert_eq!(parse_header(&[line.as_bytes()]).as_ref(), Ok(key), "{line}");
    }
    assert_eq!(IdempotencyKey::parse(key.as_str()).as_ref(), Ok(key));
    let shown = format!("IdempotencyKey(#{})", key.log_hash());
    assert_eq!(format!("{key:?}"), shown, "a key is shown by its hash only");
}

/// The key of a line, by RFC 9651 section 4.2.5 where it is quoted.
fn expected(line: &[u8]) -> Option<String> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let from = line.iter().position(|byte| !is_space(byte))?;
    let to = line.iter().rposition(|byte| !is_space(byte))? + 1;
    let key = match line.get(from..to)? {
        [b'"', quoted @ .., b'"'] => {
            let mut key = Vec::new();
            let mut rest = quoted.iter();
            while let Some(byte) = rest.next() {
                key.push(match byte {
                    b'\\' => *rest.next().filter(|next| matches!(next, b'"' | b'\\'))?,
                    b'"' => return None,
                    plain => *plain,
                });
            }
            key
        }
        bare => {
            let is_bare = |byte: &u8| byte.is_ascii_alphanumeric() || b"._~+/=-".contains(byte);
            bare.iter().all(is_bare).then(|| bare.to_vec())?
        }
    };
    let is_a_key = key.iter().all(|byte| (b' '..=b'~').contains(byte))
        && (1..=MAX_KEY_LENGTH).contains(&key.len())
        && key.iter().any(|byte| *byte != b' ');
    is_a_key.then(|| String::from_utf8(key).unwrap())
}
