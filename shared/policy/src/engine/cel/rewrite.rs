//! Member access made direct.
//!
//! CEL lets `a.b.c` also be the name of one variable, so the evaluator joins the names and looks for each beginning of them before it looks
//! into `a`. No variable of policies has a dot: `facts.amount` becomes `facts["amount"]`, which means the same and takes a third of the time.

use cel::IdedExpr as Expression;
use cel::common::ast::{CallExpr, EntryExpr, Expr, LiteralValue, operators};
use cel::common::types::CelString;

/// Rewrites the tree, whose depth is limited.
pub(super) fn direct_members(expression: &mut Expression) {
    if let Expr::Select(select) = &mut expression.expr
        && !select.test
    {
        let field = CelString::from(std::mem::take(&mut select.field));
        let member = Expression {
            id: expression.id,
            expr: Expr::Literal(LiteralValue::String(field)),
        };
        let operand = std::mem::take(&mut *select.operand);
        expression.expr = Expr::Call(CallExpr {
            func_name: operators::INDEX.to_owned(),
            target: None,
            args: vec![operand, member],
        });
    }
    for_each_child(expression, direct_members);
}

pub(super) fn for_each_child(expression: &mut Expression, mut visit: impl FnMut(&mut Expression)) {
    match &mut expression.expr {
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => {}
        Expr::Call(call) => {
            call.target
                .as_deref_mut()
                .into_iter()
                .chain(&mut call.args)
                .for_each(visit);
        }
        Expr::Comprehension(comprehension) => {
            visit(&mut comprehension.iter_range);
            visit(&mut comprehension.accu_init);
            visit(&mut comprehension.loop_cond);
            visit(&mut comprehension.loop_step);
            visit(&mut comprehension.result);
        }
        Expr::List(list) => list.elements.iter_mut().for_each(visit),
        Expr::Map(map) => map
            .entries
            .iter_mut()
            .for_each(|entry| match &mut entry.expr {
                EntryExpr::MapEntry(entry) => {
                    visit(&mut entry.key);
                    visit(&mut entry.value);
                }
                EntryExpr::StructField(field) => visit(&mut field.value),
            }),
        // Refused when bounds were computed.
        Expr::Struct(_) => {}
        Expr::Select(select) => visit(&mut select.operand),
    }
}
