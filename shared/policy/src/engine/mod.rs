//! The engine that computes conditions and templates, behind one small trait, so that another language can be added.

mod cel;

use std::fmt::Debug;

use decide_once_protocol::json::{Object, Value};

use crate::schema::Shape;
use crate::size::Size;

pub(crate) use cel::Cel;

/// The longest expression, in bytes.
pub(crate) const MAX_EXPRESSION_BYTES: usize = 4 * 1024;
/// How deep an outcome or an event's data may be nested: what is recorded stays readable for every strict JSON reader.
pub(crate) const MAX_RESULT_DEPTH: usize = 48;

/// A language for conditions and templates.
///
/// Its expressions are pure: no clock, no randomness, no input or output. `compile` refuses what could panic, recurse deeply or take
/// more than the estimate that it gives; so `evaluate` is total.
pub(crate) trait Engine {
    /// A compiled expression.
    type Expression: Debug + Send + Sync;
    /// Variables bound to values.
    type Scope<'v>;

    /// Compiles an expression over `variables`.
    ///
    /// # Errors
    /// One sentence for the policy's author for each thing that is refused.
    fn compile(
        source: &str,
        variables: Variables<'_>,
    ) -> Result<Compiled<Self::Expression>, Vec<String>>;

    /// Binds the variables for one evaluation.
    fn bind<'v>(inputs: &Inputs<'v>) -> Self::Scope<'v>;

    /// Binds also what was decided, for the expressions of events.
    fn bind_decision<'v>(scope: &mut Self::Scope<'v>, rule: &'v str, outcome: &'v Object);

    /// The value of an expression; `depth` is how deep in the result it stands.
    ///
    /// # Errors
    /// Why there is none, in one sentence without values.
    fn evaluate(
        expression: &Self::Expression,
        scope: &Self::Scope<'_>,
        depth: usize,
    ) -> Result<Value, String>;
}

/// What an expression may name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variables<'s> {
    /// `facts`, as the rules see them. `subject` and `now` are always there.
    pub(crate) facts: &'s Shape,
    /// For events: `rule`, and `outcome` of at most this size.
    pub(crate) outcome: Option<Size>,
}

/// The values of the variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs<'v> {
    pub(crate) facts: &'v Object,
    /// The types of the facts.
    pub(crate) shape: &'v Shape,
    pub(crate) subject: &'v str,
    /// Milliseconds since the Unix epoch.
    pub(crate) now: i64,
}

/// A compiled expression and what is known about it.
#[derive(Debug)]
pub(crate) struct Compiled<E> {
    pub(crate) expression: E,
    /// Whether it may be a truth value: else it is no condition.
    pub(crate) may_be_bool: bool,
    /// The most work that it can be, in about nanoseconds.
    pub(crate) cost: u64,
    /// The largest size of its value.
    pub(crate) size: Size,
}
