//! From source to syntax tree, with its depth limited.

use cel::IdedExpr as Expression;
use cel::common::ast::{EntryExpr, Expr};
use cel::parser::PrattParser;

/// The deepest syntax tree. The evaluator's frames are large in a debug build (40 KiB): this depth fits a 2 MiB stack with room for its
/// callers, and no condition that a person can read is deeper.
const MAX_DEPTH: usize = 24;

/// Parses an expression; the error is one sentence.
pub(super) fn parse(source: &str) -> Result<Expression, String> {
    let parser = PrattParser::new().max_recursion_depth(MAX_RECURSION);
    let expression = parser.parse(source).map_err(|errors| {
        let first = errors.errors.first();
        first.map_or_else(|| "the expression is not CEL".to_owned(), |error| {
            let (line, column) = error.pos;
            format!("the expression is not CEL: {} (line {line}, column {column} of the expression)", error.msg)
        })
    })?;
    if is_deeper_than(&expression, MAX_DEPTH) {
        return Err(format!(
            "the expression is nested deeper than {MAX_DEPTH} levels; split it, or put it into several rules"
        ));
    }
    Ok(expression)
}

/// Brackets inside brackets, which need not show in the tree.
const MAX_RECURSION: u16 = 48;

/// Looks at the tree without recursing: a chain such as `a + a + …` is as deep as it is long.
fn is_deeper_than(root: &Expression, limit: usize) -> bool {
    let mut open = vec![(root, 1)];
    while let Some((expression, depth)) = open.pop() {
        if depth > limit {
            return true;
        }
        for child in children(expression) {
            open.push((child, depth + 1));
        }
    }
    false
}

fn children(expression: &Expression) -> Vec<&Expression> {
    match &expression.expr {
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => Vec::new(),
        Expr::Call(call) => call
            .target
            .as_deref()
            .into_iter()
            .chain(&call.args)
            .collect(),
        Expr::Comprehension(comprehension) => vec![
            &comprehension.iter_range,
            &comprehension.accu_init,
            &comprehension.loop_cond,
            &comprehension.loop_step,
            &comprehension.result,
        ],
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => map
            .entries
            .iter()
            .flat_map(|entry| entry_children(&entry.expr))
            .collect(),
        Expr::Struct(message) => message
            .entries
            .iter()
            .flat_map(|entry| entry_children(&entry.expr))
            .collect(),
        Expr::Select(select) => vec![&*select.operand],
    }
}

fn entry_children(entry: &EntryExpr) -> Vec<&Expression> {
    match entry {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::engine::cel::rewrite::for_each_child;

    /// The longest chains and nests that 4 KiB hold. Tests run on threads with 2 MiB of stack, in a debug build: an overflow would end
    /// the process.
    #[test]
    fn deep_expressions_are_refused_before_anything_recurses_over_them() {
        for source in [
            format!("1{}", "+1".repeat(2_047)),
            format!("1{}", "[1]".repeat(1_365)),
            format!("a{}", ".b".repeat(2_047)),
            format!("a{}", ".f()".repeat(1_023)),
            format!("{}a", "a?a:".repeat(1_023)),
            format!("{}a{}", "a?".repeat(1_023), ":a".repeat(1_023)),
            format!("{}1{}", "[".repeat(2_047), "]".repeat(2_047)),
            format!("{}1{}", "f(".repeat(1_364), ")".repeat(1_364)),
            format!("{}1{}", "{1:".repeat(1_023), "}".repeat(1_023)),
            format!("{}1{}", "a[".repeat(1_364), "]".repeat(1_364)),
            format!("{}a", "!-".repeat(2_047)),
            format!("{}a", "- ! ".repeat(1_023)),
            "(".repeat(4_096),
            "[".repeat(4_096),
            "a?".repeat(2_048),
            "'".repeat(4_096),
            "a.all(x, ".repeat(455),
        ] {
            let shown: String = source.chars().take(12).collect();
            assert!(parse(&source).is_err(), "{shown}…");
        }
    }

    #[test]
    fn brackets_and_signs_that_do_not_deepen_the_tree_are_harmless() {
        for source in [
            format!("{}1{}", "(".repeat(2_047), ")".repeat(2_047)),
            format!("true{}", "&&true".repeat(600)),
            format!("{}true", "!!".repeat(2_000)),
        ] {
            assert!(parse(&source).is_ok());
        }
    }

    /// The parser that is used here is the crate's second one; where both read an expression they must read the same.
    #[test]
    fn both_parsers_of_the_crate_agree() {
        for source in [
            "facts.currency in ['USD', \"EUR\"] && facts.amount > 5000000",
            "has(facts.reviewedAt) && epochMillis(facts.reviewedAt) < now - 365 * 24 * 3600 * 1000",
            "facts.lines.filter(line, line.available > 0).map(line, {'sku': line.sku, 'n': line.q < 5 ? line.q : 5})",
            "a || b && !c || d == -1 && e[0] != f['x'].g.h(1, 2)",
            "xs.all(x, x % 2 == 0) || xs.exists(x, x >= 1.5e3) || xs.exists_one(x, x == 0x1F)",
            "a - b - c * -d / e + (f + g) <= 'h' + r'\\i' + '''j''' ? [1, 2u, b'k', null] : true",
        ] {
            let antlr = cel::Program::compile(source).unwrap();
            let mut antlr = antlr.expression().clone();
            let mut pratt = PrattParser::new().parse(source).unwrap();
            forget_ids(&mut antlr);
            forget_ids(&mut pratt);
            assert_eq!(antlr, pratt, "{source}");
        }
    }

    fn forget_ids(expression: &mut Expression) {
        expression.id = 0;
        match &mut expression.expr {
            Expr::Map(map) => map.entries.iter_mut().for_each(|entry| entry.id = 0),
            Expr::Struct(message) => message.entries.iter_mut().for_each(|entry| entry.id = 0),
            _ => {}
        }
        for_each_child(expression, forget_ids);
    }
}
