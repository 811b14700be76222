//! Iteration: `all`, `exists`, `exists_one`, `filter`, `map`.

use cel::IdedExpr;
use cel::common::ast::{ComprehensionExpr, Expr};

use super::info::{Info, Type};
use super::{NODE, Walk};

/// The longest list that an expression may iterate over.
const MAX_ITEMS: u64 = 1_000;

impl<'s> Walk<'s> {
    pub(super) fn comprehension(&mut self, comprehension: &ComprehensionExpr) -> Info<'s> {
        let range = self.visit(&comprehension.iter_range);
        // An iteration evaluates its body many times already when it stands in the body of another.
        if self.names.contains_key(&comprehension.accu_var) {
            return self.refuse("an iteration inside an iteration is not for policies; test each list in a rule of its own");
        }
        if self.names.contains_key(&comprehension.iter_var) {
            return self.refuse(format!(
                "`{}` is a variable already; give the item another name",
                comprehension.iter_var
            ));
        }
        let (item, max) = match range.ty {
            Type::List {
                item,
                max: Some(max),
            } if max <= MAX_ITEMS => (*item, max),
            Type::List { .. } => {
                return self.refuse(format!(
                    "iteration needs a list with `maxItems` of at most {MAX_ITEMS} in the schema"
                ));
            }
            other => {
                return self.refuse(format!(
                    "iteration needs a list, and this is {}",
                    other.name()
                ));
            }
        };
        // Every item becomes a variable once: all of them together are the list.
        self.charge(range.size.copying());
        let start = self.visit(&comprehension.accu_init);
        self.names
            .insert(comprehension.iter_var.clone(), item.clone());
        self.names.insert(comprehension.accu_var.clone(), start);
        let outside = self.times;
        self.times = outside.saturating_mul(max);
        // Item and result so far are given their names, in each round.
        self.charge(2 * NODE);
        self.visit(&comprehension.loop_cond);
        let step = self.visit(&comprehension.loop_step);
        self.times = outside;
        let end = match step.ty {
            // `map` and `filter` add one item in a round.
            Type::List { item, .. } => {
                let all = step.size.times(max);
                Info {
                    ty: Type::List {
                        item,
                        max: Some(max),
                    },
                    size: if is_filter(comprehension) {
                        all.at_most(range.size)
                    } else {
                        all
                    },
                }
            }
            ty => Info {
                ty,
                size: step.size,
            },
        };
        self.names.insert(comprehension.accu_var.clone(), end);
        let result = self.visit(&comprehension.result);
        self.names.remove(&comprehension.iter_var);
        self.names.remove(&comprehension.accu_var);
        result
    }
}

/// Whether what is added is the item itself: `keep(x) ? result + [x] : result`. Then the result is no larger than the list.
fn is_filter(comprehension: &ComprehensionExpr) -> bool {
    let Expr::Call(choice) = &comprehension.loop_step.expr else {
        return false;
    };
    let Some(Expr::Call(addition)) = choice.args.get(1).map(|then| &then.expr) else {
        return false;
    };
    let Some(Expr::List(added)) = addition.args.get(1).map(|added| &added.expr) else {
        return false;
    };
    matches!(added.elements.as_slice(), [IdedExpr { expr: Expr::Ident(name), .. }] if *name == comprehension.iter_var)
}
