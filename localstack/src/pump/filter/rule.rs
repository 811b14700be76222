//! The rules of a pattern's leaf.

use serde_json::Value;

/// One rule; a leaf matches if any of its rules does.
#[derive(Debug, Clone)]
pub(super) enum Rule {
    /// `"x"`, `3`, `true`, `null`: exactly this. Numbers compare as written: 300 is not 300.0.
    Equals(Value),
    /// `{"equals-ignore-case": "x"}`
    EqualsIgnoreCase(String),
    /// `{"prefix": "x"}`
    Prefix(String),
    /// `{"suffix": "x"}`
    Suffix(String),
    /// `{"anything-but": ["x", 3]}`: there, and none of these.
    AnythingBut(Vec<Value>),
    /// `{"numeric": [">", 0, "<=", 5]}`: a JSON number within all bounds.
    Numeric(Vec<(Comparison, f64)>),
    /// `{"exists": true}`: whether the leaf is there.
    Exists(bool),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Rule {
    /// Whether any of the values at the leaf's place satisfies the rule.
    pub(super) fn matches(&self, leaves: &[&Value]) -> bool {
        match self {
            Self::Exists(expected) => leaves.is_empty() != *expected,
            Self::Equals(_)
            | Self::EqualsIgnoreCase(_)
            | Self::Prefix(_)
            | Self::Suffix(_)
            | Self::AnythingBut(_)
            | Self::Numeric(_) => leaves.iter().any(|leaf| self.accepts(leaf)),
        }
    }

    fn accepts(&self, leaf: &Value) -> bool {
        match self {
            Self::Equals(expected) => leaf == expected,
            Self::EqualsIgnoreCase(expected) => leaf
                .as_str()
                .is_some_and(|text| text.to_lowercase() == expected.to_lowercase()),
            Self::Prefix(prefix) => leaf.as_str().is_some_and(|text| text.starts_with(prefix)),
            Self::Suffix(suffix) => leaf.as_str().is_some_and(|text| text.ends_with(suffix)),
            Self::AnythingBut(excluded) => !excluded.contains(leaf),
            Self::Numeric(bounds) => leaf
                .as_f64()
                .is_some_and(|number| bounds.iter().all(|(op, bound)| op.holds(number, *bound))),
            Self::Exists(expected) => *expected,
        }
    }
}

impl Comparison {
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "=" => Self::Equal,
            "<" => Self::Less,
            "<=" => Self::AtMost,
            ">" => Self::Greater,
            ">=" => Self::AtLeast,
            _ => return None,
        })
    }

    #[expect(
        clippy::float_cmp,
        reason = "the rule asks for the same number, not for a near one"
    )]
    fn holds(self, number: f64, bound: f64) -> bool {
        match self {
            Self::Equal => number == bound,
            Self::Less => number < bound,
            Self::AtMost => number <= bound,
            Self::Greater => number > bound,
            Self::AtLeast => number >= bound,
        }
    }
}
