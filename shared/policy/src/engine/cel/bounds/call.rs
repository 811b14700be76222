//! Operators and functions.

use cel::common::ast::{CallExpr, Expr, LiteralValue, operators};

use super::Walk;
use super::info::{Info, Type};
use crate::size::Size;

/// The longest text of a number.
const NUMBER_TEXT: u64 = 330;

/// The functions of policies: `size(x)` and `x.size()`, and so on. `matches` is not among them: it compiles a pattern at every call.
const FUNCTIONS: &str = "size, contains, startsWith, endsWith, string, int, double, epochMillis, has, all, exists, exists_one, filter, map";

impl<'s> Walk<'s> {
    pub(super) fn call(&mut self, call: &CallExpr) -> Info<'s> {
        let target = call.target.as_ref().map(|target| self.visit(target));
        let is_member = target.is_some();
        let operands: Vec<Info<'s>> = target
            .into_iter()
            .chain(
                call.args
                    .iter()
                    .map(|argument| self.visit(argument))
                    .collect::<Vec<_>>(),
            )
            .collect();
        match (call.func_name.as_str(), is_member, operands.as_slice()) {
            (operators::CONDITIONAL, false, [condition, then, otherwise]) => {
                self.expect_bool(condition, "?:");
                then.clone().or(otherwise.clone())
            }
            (name @ (operators::LOGICAL_AND | operators::LOGICAL_OR), false, [left, right]) => {
                self.expect_bool(left, name);
                self.expect_bool(right, name);
                Info::BOOL
            }
            (operators::LOGICAL_NOT | operators::NOT_STRICTLY_FALSE, false, [operand]) => {
                self.expect_bool(operand, "!");
                Info::BOOL
            }
            (operators::NEGATE, false, [operand]) => self.arithmetic("-", operand, operand),
            (operators::SUBSTRACT, false, [left, right]) => self.arithmetic("-", left, right),
            (operators::MULTIPLY, false, [left, right]) => self.arithmetic("*", left, right),
            (operators::DIVIDE, false, [left, right]) => self.arithmetic("/", left, right),
            (operators::MODULO, false, [left, right]) => self.arithmetic("%", left, right),
            (operators::ADD, false, [left, right]) => {
                // `map` and `filter` expand to `@result + [item]`, which the evaluator does in place.
                let first = call.args.first().map(|first| &first.expr);
                let appends = matches!(first, Some(Expr::Ident(name)) if name.starts_with('@'));
                self.add(left, right, appends)
            }
            (operators::EQUALS | operators::NOT_EQUALS, false, [left, right]) => {
                self.charge_comparison(left, right);
                Info::BOOL
            }
            (operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS, false, [left, right]) => {
                let numbers = left.is_number() && right.is_number();
                if !(numbers || left.ty.may_equal(&right.ty)) {
                    self.refuse(format!("{} and {} cannot be ordered", left.ty.name(), right.ty.name()));
                }
                self.charge_comparison(left, right);
                Info::BOOL
            }
            (operators::IN, false, [item, container]) => self.contained(item, container),
            (operators::INDEX, false, [container, index]) => self.index(container, index, call),
            ("size", _, [of]) => {
                // Characters of a string are counted.
                self.charge(of.size.comparing());
                Info::INT
            }
            ("contains" | "startsWith" | "endsWith", true, [text, part]) => {
                self.charge(text.size.and(part.size).comparing());
                Info::BOOL
            }
            ("string", false, [of]) => {
                self.charge(of.size.comparing());
                Info::text(of.size.bytes.max(NUMBER_TEXT))
            }
            ("int" | "epochMillis", false, [of]) => {
                self.charge(of.size.comparing());
                Info::INT
            }
            ("double", false, [of]) => {
                self.charge(of.size.comparing());
                Info::DOUBLE
            }
            (name, _, _) => self.refuse(format!("`{name}` is not a function of policies (with these arguments); there are {FUNCTIONS}")),
        }
    }

    fn expect_bool(&mut self, operand: &Info<'s>, operator: &str) {
        if !matches!(operand.ty, Type::Bool | Type::Any) {
            let operator = operator.trim_matches('_');
            self.refuse(format!(
                "`{operator}` needs truth values, and there is {}",
                operand.ty.name()
            ));
        }
    }

    fn arithmetic(&mut self, operator: &str, left: &Info<'s>, right: &Info<'s>) -> Info<'s> {
        match (&left.ty, &right.ty) {
            (Type::Int, Type::Double) | (Type::Double, Type::Int) => self.mixed(operator),
            (Type::Double, _) | (_, Type::Double) if operator == "%" => {
                self.refuse("`%` is for integers")
            }
            (Type::Int, Type::Int | Type::Any) | (Type::Any, Type::Int) => Info::INT,
            (Type::Double, Type::Double | Type::Any) | (Type::Any, Type::Double) => Info::DOUBLE,
            (Type::Any, Type::Any) => Info {
                ty: Type::Any,
                size: Size::scalar(NUMBER_TEXT),
            },
            (Type::Any | Type::Int | Type::Double, other) | (other, _) => {
                let name = other.name();
                self.refuse(format!("`{operator}` needs numbers, and there is {name}"))
            }
        }
    }

    fn mixed(&mut self, operator: &str) -> Info<'s> {
        self.refuse(format!(
            "`{operator}` does not mix integers and numbers: write double(x), or 2.0 for 2"
        ))
    }

    fn add(&mut self, left: &Info<'s>, right: &Info<'s>, appends: bool) -> Info<'s> {
        if left.is_number() || right.is_number() {
            return self.arithmetic("+", left, right);
        }
        let size = left.size.and(right.size);
        let sum = match (&left.ty, &right.ty) {
            (Type::Text, Type::Text) => Info::text(size.bytes),
            (Type::List { item: a, max: m }, Type::List { item: b, max: n }) => {
                let item = Box::new(a.as_ref().clone().or(b.as_ref().clone()));
                let max = m.zip(*n).map(|(m, n)| m.saturating_add(n));
                Info {
                    ty: Type::List { item, max },
                    size,
                }
            }
            (Type::Any, _) | (_, Type::Any) => Info {
                ty: Type::Any,
                size,
            },
            (left, right) => {
                let names = (left.name(), right.name());
                self.refuse(format!("`+` cannot add {} and {}", names.0, names.1))
            }
        };
        if !appends {
            self.charge(size.copying());
        }
        sum
    }

    fn charge_comparison(&mut self, left: &Info<'s>, right: &Info<'s>) {
        self.charge(left.size.at_most(right.size).comparing());
    }

    fn contained(&mut self, item: &Info<'s>, container: &Info<'s>) -> Info<'s> {
        match &container.ty {
            Type::List { .. } | Type::Any => self.charge(container.size.comparing()),
            Type::Record(_) | Type::Map => self.charge(item.size.comparing()),
            other => {
                let name = other.name();
                self.refuse(format!("`in` needs a list, and there is {name}"));
            }
        }
        Info::BOOL
    }

    /// `list[0]`, `object["name"]`.
    fn index(&mut self, container: &Info<'s>, index: &Info<'s>, call: &CallExpr) -> Info<'s> {
        let name = match call.args.get(1).map(|argument| &argument.expr) {
            Some(Expr::Literal(LiteralValue::String(name))) => Some(name.inner()),
            _ => None,
        };
        match (&container.ty, name) {
            (Type::List { item, .. }, _) if matches!(index.ty, Type::Int | Type::Any) => {
                item.as_ref().clone()
            }
            (Type::List { .. }, _) => self.refuse("a list is indexed by an integer"),
            (_, Some(name)) => self.member(container, name),
            (Type::Record(_) | Type::Map | Type::Any, None) => Info {
                ty: Type::Any,
                size: container.size,
            },
            (other, None) => {
                let other = other.name();
                self.refuse(format!("{other} has no parts to index"))
            }
        }
    }
}
