//! Outcomes and event data: JSON with `${…}` in its strings.
//!
//! `"${expr}"` alone is the value itself, with its type; inside other text it is the value's text. `$${` is a plain `${`.

use std::fmt::Write as _;

use decide_once_protocol::json::{Object, Value};

use crate::engine::{Compiled, Engine, MAX_RESULT_DEPTH, Variables};
use crate::problem::Findings;
use crate::size::Size;
use crate::yaml::{Kind, Node};

/// A compiled template.
#[derive(Debug)]
pub(crate) enum Template<E> {
    /// Without expressions.
    Literal(Value),
    /// The value of an expression.
    Expression(E),
    /// Text with expressions inside.
    Text(Vec<Part<E>>),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

/// A piece of a text.
#[derive(Debug)]
pub(crate) enum Part<E> {
    Plain(String),
    Expression(E),
}

/// Compiles templates and adds up what they can cost.
pub(crate) struct TemplateCompiler<'a, 'f> {
    pub(crate) variables: Variables<'a>,
    pub(crate) findings: &'a mut Findings<'f>,
    /// The most work of rendering, in about nanoseconds.
    pub(crate) cost: u64,
    /// The largest size of what is rendered.
    pub(crate) size: Size,
}

impl TemplateCompiler<'_, '_> {
    pub(crate) fn compile<E: Engine>(&mut self, node: &Node) -> Template<E::Expression> {
        match &node.kind {
            Kind::Text(text) => self.text::<E>(text, node.line),
            Kind::List(items) => {
                Template::List(items.iter().map(|item| self.compile::<E>(item)).collect())
            }
            Kind::Map(members) => {
                let members = members.iter().map(|(name, member)| {
                    self.count(name.len());
                    (name.clone(), self.compile::<E>(member))
                });
                Template::Object(members.collect())
            }
            Kind::Null | Kind::Bool(_) | Kind::Number(_) => {
                self.count(24);
                Template::Literal(node.to_value())
            }
        }
    }

    fn count(&mut self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let size = Size::scalar(bytes);
        self.size = self.size.and(size);
        self.cost = self.cost.saturating_add(size.copying());
    }

    fn text<E: Engine>(&mut self, text: &str, line: u64) -> Template<E::Expression> {
        self.count(text.len());
        let pieces = match split(text) {
            Ok(pieces) => pieces,
            Err(reason) => {
                self.findings.add(line, reason);
                return Template::Literal(Value::Null);
            }
        };
        let mut parts = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Plain(plain) => parts.push(Part::Plain(plain)),
                Piece::Expression(source) => parts.extend(self.expression::<E>(source, line)),
            }
        }
        let mut parts = parts.into_iter();
        match (parts.next(), parts.next()) {
            (None, _) => Template::Literal(Value::from("")),
            (Some(Part::Plain(plain)), None) => Template::Literal(Value::String(plain)),
            (Some(Part::Expression(expression)), None) => Template::Expression(expression),
            (Some(first), Some(second)) => {
                Template::Text([first, second].into_iter().chain(parts).collect())
            }
        }
    }

    fn expression<E: Engine>(&mut self, source: &str, line: u64) -> Option<Part<E::Expression>> {
        match E::compile(source, self.variables) {
            Ok(Compiled {
                expression,
                cost,
                size,
                ..
            }) => {
                self.cost = self.cost.saturating_add(cost);
                self.size = self.size.and(size);
                Some(Part::Expression(expression))
            }
            Err(reasons) => {
                reasons.into_iter().for_each(|reason| {
                    self.findings
                        .add(line, format!("`${{{source}}}`: {reason}"))
                });
                None
            }
        }
    }
}

impl<E> Template<E> {
    /// Fills in the template; `depth` is how deep in the result it stands.
    ///
    /// # Errors
    /// Why an expression has no value, or one that cannot stand there.
    pub(crate) fn render<N: Engine<Expression = E>>(
        &self,
        scope: &N::Scope<'_>,
        depth: usize,
    ) -> Result<Value, String> {
        if depth > MAX_RESULT_DEPTH {
            return Err("the result is nested too deep".to_owned());
        }
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Expression(expression) => N::evaluate(expression, scope, depth),
            Self::Text(parts) => {
                let mut text = String::new();
                for part in parts {
                    match part {
                        Part::Plain(plain) => text.push_str(plain),
                        Part::Expression(expression) => {
                            write_text(&mut text, &N::evaluate(expression, scope, depth)?)?
                        }
                    }
                }
                Ok(Value::String(text))
            }
            Self::List(items) => {
                let items: Result<Vec<Value>, String> = items
                    .iter()
                    .map(|item| item.render::<N>(scope, depth + 1))
                    .collect();
                items.map(Value::Array)
            }
            Self::Object(members) => {
                let members: Result<Object, String> = members
                    .iter()
                    .map(|(name, member)| Ok((name.clone(), member.render::<N>(scope, depth + 1)?)))
                    .collect();
                members.map(Value::Object)
            }
        }
    }
}

/// A value inside other text.
fn write_text(text: &mut String, value: &Value) -> Result<(), String> {
    match value {
        Value::String(inner) => text.push_str(inner),
        Value::Number(number) => {
            // Writing to a String cannot fail.
            let _ = write!(text, "{number}");
        }
        Value::Bool(truth) => text.push_str(if *truth { "true" } else { "false" }),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            return Err(format!("{} cannot stand inside text", value.kind()));
        }
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
enum Piece<'t> {
    Plain(String),
    Expression(&'t str),
}

/// Splits a text at its `${…}`. Braces and quotes inside an expression are followed, so that a map or a string may contain `}`.
fn split(text: &str) -> Result<Vec<Piece<'_>>, &'static str> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        if let Some(escaped) = from.strip_prefix("$${") {
            plain.push_str("${");
            rest = escaped;
        } else if let Some(open) = from.strip_prefix("${") {
            let length = expression_length(open)
                .ok_or("a `${` has no `}`; write `$${` for the characters themselves")?;
            let (source, after) = open.split_at(length);
            if !plain.is_empty() {
                pieces.push(Piece::Plain(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Expression(source));
            rest = after.strip_prefix('}').unwrap_or(after);
        } else {
            plain.push('$');
            rest = from.strip_prefix('$').unwrap_or(from);
        }
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        pieces.push(Piece::Plain(plain));
    }
    Ok(pieces)
}

/// Where the `}` is that closes the expression at the beginning of `text`.
fn expression_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match (quote, character) {
            (Some(_), '\\') => {
                characters.next();
            }
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '{') => depth += 1,
            (None, '}') if depth == 0 => return Some(at),
            (None, '}') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Piece<'_> {
        Piece::Plain(text.to_owned())
    }

    #[test]
    fn a_text_is_split_at_its_expressions() {
        use Piece::Expression;
        assert_eq!(split("${a}"), Ok(vec![Expression("a")]));
        assert_eq!(
            split("x ${a}${b} y"),
            Ok(vec![
                plain("x "),
                Expression("a"),
                Expression("b"),
                plain(" y")
            ])
        );
        assert_eq!(
            split("${ {'k': '}'}['k'] }"),
            Ok(vec![Expression(" {'k': '}'}['k'] ")])
        );
        assert_eq!(split(r#"${"\"}"}"#), Ok(vec![Expression(r#""\"}""#)]));
        assert_eq!(
            split("$5 and $${x} and $$"),
            Ok(vec![plain("$5 and ${x} and $$")])
        );
        assert_eq!(split(""), Ok(vec![]));
        assert!(split("${a").is_err());
        assert!(split("${'}").is_err());
    }
}
