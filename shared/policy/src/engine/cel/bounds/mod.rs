//! The most that an expression can cost, and what it may do at all, from its syntax tree and the schema.
//!
//! A walk that follows types as far as the schema gives them: sizes of values are bounded by `maxLength`, `maxItems` and the size of
//! facts, and from them the work of every operation. On the way it refuses what CEL would only report while deciding: undeclared
//! members, unknown functions, integers mixed with doubles, conditions that are no truth values.

mod call;
mod comprehension;
mod info;

use std::collections::BTreeMap;

use cel::IdedExpr as Expression;
use cel::common::ast::{EntryExpr, Expr, LiteralValue, SelectExpr, operators};

use crate::engine::Variables;
use crate::size::Size;
use info::{Info, Type};

/// What the walk found out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    pub(super) may_be_bool: bool,
    /// In about nanoseconds of a release build.
    pub(super) cost: u64,
    pub(super) size: Size,
}

/// Visiting a node, in nanoseconds: a name is looked up, a value boxed.
const NODE: u64 = 100;
/// Estimates an expression; the errors are sentences for its author.
pub(super) fn estimate(
    expression: &Expression,
    variables: Variables<'_>,
) -> Result<Estimate, Vec<String>> {
    let mut names = BTreeMap::from([
        ("facts".to_owned(), Info::of(variables.facts)),
        ("subject".to_owned(), Info::text(MAX_SUBJECT_BYTES)),
        ("now".to_owned(), Info::INT),
    ]);
    if let Some(size) = variables.outcome {
        names.insert(
            "outcome".to_owned(),
            Info {
                ty: Type::Any,
                size,
            },
        );
        names.insert("rule".to_owned(), Info::text(MAX_SUBJECT_BYTES));
    }
    let mut walk = Walk {
        names,
        cost: 0,
        times: 1,
        problems: Vec::new(),
    };
    let info = walk.visit(expression);
    // The result is taken out of CEL, and made JSON.
    walk.charge(info.size.copying().saturating_mul(2));
    if walk.problems.is_empty() {
        let may_be_bool = matches!(info.ty, Type::Bool | Type::Any);
        Ok(Estimate {
            may_be_bool,
            cost: walk.cost,
            size: info.size,
        })
    } else {
        walk.problems.dedup();
        Err(walk.problems)
    }
}

/// 256 characters (the limit of a subject, and more than a rule's id), as UTF-8.
const MAX_SUBJECT_BYTES: u64 = 4 * 256;

struct Walk<'s> {
    names: BTreeMap<String, Info<'s>>,
    cost: u64,
    /// How often the node in hand is evaluated: the items of the iteration around it.
    times: u64,
    problems: Vec<String>,
}

impl<'s> Walk<'s> {
    fn charge(&mut self, cost: u64) {
        self.cost = self.cost.saturating_add(cost.saturating_mul(self.times));
    }

    /// A value becomes a part of a new list or map: moved if it is new itself, else copied.
    fn charge_copy(&mut self, part: &Expression, info: &Info<'s>) {
        let borrowed = match &part.expr {
            Expr::Ident(_) | Expr::Select(_) => true,
            Expr::Call(call) => {
                matches!(
                    call.func_name.as_str(),
                    operators::INDEX | operators::CONDITIONAL
                )
            }
            Expr::Literal(_)
            | Expr::List(_)
            | Expr::Map(_)
            | Expr::Comprehension(_)
            | Expr::Struct(_)
            | Expr::Unspecified => false,
        };
        if borrowed {
            self.charge(info.size.copying());
        }
    }

    fn refuse(&mut self, problem: impl Into<String>) -> Info<'s> {
        self.problems.push(problem.into());
        Info::ANY
    }

    fn visit(&mut self, expression: &Expression) -> Info<'s> {
        self.charge(NODE);
        match &expression.expr {
            Expr::Literal(literal) => self.literal(literal),
            Expr::Ident(name) => match self.names.get(name) {
                Some(info) => info.clone(),
                None => self.refuse(format!(
                    "`{name}` is not known; there are {}",
                    self.known_names()
                )),
            },
            Expr::Select(select) => self.select(select),
            Expr::Call(call) => self.call(call),
            Expr::List(list) => {
                let visit = |element| {
                    let info = self.visit(element);
                    self.charge_copy(element, &info);
                    info
                };
                let items = list.elements.iter().map(visit).collect();
                Info::list_of(items)
            }
            Expr::Map(map) => {
                let mut size = Size::scalar(0);
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        for part in [&entry.key, &entry.value] {
                            let info = self.visit(part);
                            self.charge_copy(part, &info);
                            size = size.and(info.size);
                        }
                    }
                }
                Info {
                    ty: Type::Map,
                    size,
                }
            }
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::Struct(_) => {
                self.refuse("message literals are not for policies; use a map: {\"name\": value}")
            }
            Expr::Unspecified => self.refuse("the expression has an empty part"),
        }
    }

    fn known_names(&self) -> String {
        let names: Vec<&str> = self
            .names
            .keys()
            .map(String::as_str)
            .filter(|name| !name.starts_with('@'))
            .collect();
        names.join(", ")
    }

    fn literal(&mut self, literal: &LiteralValue) -> Info<'s> {
        match literal {
            LiteralValue::Null => Info {
                ty: Type::Null,
                size: Size::scalar(4),
            },
            LiteralValue::Boolean(_) => Info::BOOL,
            LiteralValue::Int(_) => Info::INT,
            LiteralValue::Double(_) => Info::DOUBLE,
            LiteralValue::String(text) => Info::text(info::length(text.inner())),
            LiteralValue::Bytes(_) | LiteralValue::UInt(_) => {
                self.refuse("bytes and unsigned integers are not for policies; facts have neither")
            }
        }
    }

    fn select(&mut self, select: &SelectExpr) -> Info<'s> {
        let operand = self.visit(&select.operand);
        let member = self.member(&operand, &select.field);
        if select.test { Info::BOOL } else { member }
    }

    /// The member `name` of a value.
    fn member(&mut self, of: &Info<'s>, name: &str) -> Info<'s> {
        match &of.ty {
            Type::Record(shape) => match shape.member(name) {
                Some(member) => Info::of(member),
                None => self.refuse(format!(
                    "`{name}` is not a member that the rules see: declare it under `properties` (and not under `exclude`)"
                )),
            },
            Type::Any | Type::Map => Info { ty: Type::Any, size: of.size },
            Type::Null | Type::Bool | Type::Int | Type::Double | Type::Text | Type::List { .. } => {
                self.refuse(format!("`{name}` is asked of {}, which has no members", of.ty.name()))
            }
        }
    }
}
