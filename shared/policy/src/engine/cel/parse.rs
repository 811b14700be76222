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
