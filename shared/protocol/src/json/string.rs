//! Strings as RFC 8785 §3.2.2.2 writes them.

use std::fmt::{self, Write};

/// Writes `text` quoted: short escapes where JSON has them, `\u00xx` (lower case) for other control characters, all else as it is.
pub(super) fn write(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut plain_from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let short = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            0x08 => "\\b",
            b'\t' => "\\t",
            b'\n' => "\\n",
            0x0c => "\\f",
            b'\r' => "\\r",
            0..0x20 => "",
            _ => continue,
        };
        out.write_str(&text[plain_from..at])?;
        plain_from = at + 1;
        if short.is_empty() {
            write!(out, "\\u{byte:04x}")?;
        } else {
            out.write_str(short)?;
        }
    }
    out.write_str(&text[plain_from..])?;
    out.write_char('"')
}
