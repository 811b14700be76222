//! Inputs out of other inputs.

use decide_once_tests::seed::Seed;

/// The longest input, in bytes.
const LONGEST: usize = 16 * 1024;

/// Pieces that bend or break a text where they land: of JSON, YAML, structured fields and DynamoDB's JSON, numbers at the ends of their ranges, and
/// bytes that no text has.
const PIECES: [&[u8]; 48] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud83d",
    b"\\ude00",
    b"\\\"",
    b"'",
    b"\n",
    b"\t",
    b" ",
    b"\0",
    b"\x7f",
    b"\xff",
    b"\xc3\xa9",
    b"\xed\xa0\xbd",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"0",
    b"-0",
    b"1.0",
    b"1e0",
    b"e400",
    b"-1",
    b"+",
    b"/",
    b"~1",
    b"=",
    b";a=1",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b"\"\"",
    b"9007199254740993",
    b"253402300799999",
    b"253402300800000",
    b"18446744073709551615",
    b"4294967296",
    b"{\"S\":\"\"}",
    b"{\"N\":\"0\"}",
    b"- &a *a",
    b"${{ }}",
];

/// One of these inputs with a few changes.
pub(crate) fn mutate(inputs: &[Vec<u8>], seed: &mut Seed) -> Vec<u8> {
    let mut input = inputs[seed.index(inputs.len())].clone();
    for _ in 0..=seed.index(4) {
        change(&mut input, inputs, seed);
    }
    input.truncate(LONGEST);
    input
}

fn change(input: &mut Vec<u8>, inputs: &[Vec<u8>], seed: &mut Seed) {
    let at = seed.index(input.len() + 1);
    let end = (at + seed.index(9)).min(input.len());
    match seed.index(6) {
        0 => drop(input.splice(at..at, piece(seed))),
        1 => drop(input.splice(at..end, piece(seed))),
        2 => drop(input.drain(at..end)),
        3 => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << seed.index(8);
            }
        }
        4 => {
            let copied = slice(input, seed);
            drop(input.splice(at..end, copied));
        }
        _ => {
            let copied = slice(&inputs[seed.index(inputs.len())], seed);
            drop(input.splice(at..end, copied));
        }
    }
}

fn piece(seed: &mut Seed) -> Vec<u8> {
    PIECES[seed.index(PIECES.len())].to_vec()
}

/// Some neighbouring bytes.
fn slice(of: &[u8], seed: &mut Seed) -> Vec<u8> {
    let from = seed.index(of.len() + 1);
    let to = (from + seed.index(64)).min(of.len());
    of[from..to].to_vec()
}
