//! Trace context: which trace a request belongs to, handed on to its events. It tells where something came from, and never decides anything: it is
//! in no fingerprint, no answer and no condition.
//!
//! Two spellings are read, the W3C's (<https://www.w3.org/TR/trace-context/#traceparent-header>) and X-Ray's
//! (<https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader>); one is written. This service records no spans of
//! its own, so the parent is handed on as it came. What cannot be read is as if it were not there.

use std::fmt;

use crate::hash::hex;

/// A `traceparent`: a trace, and who asked within it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceParent {
    trace: [u8; 16],
    parent: [u8; 8],
    sampled: bool,
}

impl TraceParent {
    /// Bytes of its text.
    pub const LENGTH: usize = 55;

    /// Bytes of it in an event: a member of a JSON object.
    pub const MEMBER_LENGTH: usize = r#","traceparent":"""#.len() + Self::LENGTH;

    /// Reads a `traceparent`, strictly: lower-case digits, neither id all zeros, version 00 with nothing behind its flags. Of a higher version what
    /// version 00 has of it is read, as the W3C asks; ff is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (head, rest) = text.split_at_checked(Self::LENGTH)?;
        let fields: Vec<_> = head.split('-').collect();
        let [version, trace, parent, flags] = fields[..] else {
            return None;
        };
        let [version] = digits(version)?;
        let is_whole = rest.is_empty() || (version > 0 && rest.starts_with('-'));
        if version == 0xff || !is_whole {
            return None;
        }
        let [flags] = digits(flags)?;
        Self::of(digits(trace)?, digits(parent)?, flags & 1 == 1)
    }

    /// Reads a tracing header of X-Ray: `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1`, its fields in any order. Without
    /// a parent, as a gateway begins a trace, the root's own last digits stand for it.
    #[must_use]
    pub fn from_x_ray(header: &str) -> Option<Self> {
        let field = |name: &str| {
            let mut fields = header.split(';').map(str::trim);
            fields.find_map(|field| field.strip_prefix(name)?.strip_prefix('='))
        };
        let (time, unique) = field("Root")?.strip_prefix("1-")?.split_once('-')?;
        if (time.len(), unique.len()) != (8, 24) {
            return None;
        }
        let root = format!("{time}{unique}").to_ascii_lowercase();
        let parent = match field("Parent") {
            Some(parent) => digits(&parent.to_ascii_lowercase())?,
            None => digits(&root[16..])?,
        };
        Self::of(digits(&root)?, parent, field("Sampled") == Some("1"))
    }

    /// Begins a trace that is named by something unique, a UUID: who has the one finds the other.
    #[must_use]
    pub fn beginning_with(uuid: &str) -> Option<Self> {
        let root = uuid.replace('-', "");
        if root.len() != 32 {
            return None;
        }
        Self::of(digits(&root)?, digits(&root[16..])?, false)
    }

    /// The trace's id, for logs: 32 digits.
    #[must_use]
    pub fn id(&self) -> String {
        hex(&self.trace)
    }

    fn of(trace: [u8; 16], parent: [u8; 8], sampled: bool) -> Option<Self> {
        let is_named = trace != [0; 16] && parent != [0; 8];
        is_named.then_some(Self {
            trace,
            parent,
            sampled,
        })
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (trace, parent) = (hex(&self.trace), hex(&self.parent));
        write!(f, "00-{trace}-{parent}-{:02x}", u8::from(self.sampled))
    }
}

impl fmt::Debug for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Exactly so many lower-case hexadecimal digits.
fn digits<const BYTES: usize>(text: &str) -> Option<[u8; BYTES]> {
    let text = text.as_bytes();
    if text.len() != 2 * BYTES {
        return None;
    }
    let mut bytes = [0; BYTES];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

const fn digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    const W3C: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn what_is_read_is_written_and_unknown_flags_are_left_out() {
        let trace = TraceParent::parse(W3C).unwrap();
        assert_eq!(
            (trace.to_string().as_str(), W3C.len()),
            (W3C, TraceParent::LENGTH)
        );
        assert_eq!(trace.id(), "4bf92f3577b34da6a3ce929d0e0e4736");
        for (flags, kept) in [("00", "00"), ("03", "01"), ("fe", "00"), ("ff", "01")] {
            let text = W3C.replace("-01", &format!("-{flags}"));
            let kept = W3C.replace("-01", &format!("-{kept}"));
            assert_eq!(TraceParent::parse(&text).unwrap().to_string(), kept);
        }
    }

    #[test]
    fn a_higher_version_is_read_as_far_as_it_is_known() {
        for text in [
            W3C.replacen("00", "01", 1),
            W3C.replacen("00", "cc", 1) + "-what-comes-later",
        ] {
            assert_eq!(TraceParent::parse(&text), TraceParent::parse(W3C), "{text}");
        }
    }

    #[test]
    fn what_is_not_one_is_none() {
        for text in [
            String::new(),
            W3C.to_uppercase(),
            W3C[..54].to_owned(),
            format!("{W3C}-00"),
            format!("{W3C} "),
            format!(" {W3C}"),
            format!("{W3C},{W3C}"),
            W3C.replacen("00", "ff", 1),
            W3C.replacen("00", "0", 1),
            W3C.replacen("00", "cc", 1) + ".x",
            W3C.replacen("00", "cc", 1) + "x",
            W3C.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            W3C.replace("00f067aa0ba902b7", &"0".repeat(16)),
            W3C.replace("4bf9", "4bg9"),
            W3C.replace('-', "_"),
            W3C.replace("-01", "--1"),
            "é".repeat(40),
        ] {
            assert_eq!(TraceParent::parse(&text), None, "{text}");
        }
    }

    #[test]
    fn x_rays_header_is_the_same_trace() {
        let header = "Self=1-0-0;Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8; Sampled=1";
        let trace = TraceParent::from_x_ray(header).unwrap();
        assert_eq!(
            trace.to_string(),
            "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01"
        );
        let begun = TraceParent::from_x_ray("Root=1-5759e988-bd862e3fe1be46a994272793").unwrap();
        assert_eq!(
            begun.to_string(),
            "00-5759e988bd862e3fe1be46a994272793-e1be46a994272793-00"
        );
        for none in [
            "",
            "Root=2-5759e988-bd862e3fe1be46a994272793",
            "Root=1-5759e98-8bd862e3fe1be46a994272793",
            "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=short",
            "Root=1-é759e98-bd862e3fe1be46a994272793",
            "Parent=53995c3f42cd8ad8",
        ] {
            assert_eq!(TraceParent::from_x_ray(none), None, "{none}");
        }
    }

    #[test]
    fn a_trace_that_begins_here_is_named_by_its_invocation() {
        let begun = TraceParent::beginning_with("8476a536-e9f4-11e8-9739-2dfe598c3fcd").unwrap();
        assert_eq!(begun.id(), "8476a536e9f411e897392dfe598c3fcd");
        assert_eq!(TraceParent::parse(&begun.to_string()), Some(begun));
        for none in [
            "",
            "7",
            "00000000-0000-0000-0000-000000000000",
            "ä476a536e9f411e897392dfe598c3fcd",
        ] {
            assert_eq!(TraceParent::beginning_with(none), None, "{none}");
        }
    }
}
