//! The Common Expression Language (<https://github.com/google/cel-spec>), by the crate `cel`.
//!
//! What the crate does with hostile input was looked into, and is guarded here:
//! * its arithmetic is checked: overflow, division by zero and bad indices are errors, nothing panics;
//! * its default parser (ANTLR) takes about 130 KiB of stack for each level of brackets in a debug build, and overflows a 2 MiB stack
//!   at 16; its evaluator takes 40 KiB for each level of the tree. So expressions are parsed by its other parser (a hand-written one,
//!   twenty times as fast), and their depth is limited before anything recurses over them;
//! * concatenation, literals of lists and comparison copy or walk whole values, so that 4 KiB of source over a large list can be hours
//!   of work: `bounds` computes the most that an expression can cost from the schema;
//! * maps iterate in a random order: iteration is over lists only, and maps in results are sorted.

mod bounds;
mod errors;
mod parse;
mod rewrite;
mod values;

use std::sync::{Arc, LazyLock};

use cel::common::types::{CelInt, CelString};
use cel::{Context, Env, ExecutionError, IdedExpr as Expression};
use decide_once_protocol::json::{Object, Value};

use super::{Compiled, Engine, Inputs, MAX_EXPRESSION_BYTES, Variables};
use crate::schema::{Shape, epoch_millis};

/// CEL as an [`Engine`].
#[derive(Debug)]
pub(crate) struct Cel;

impl Engine for Cel {
    type Expression = Expression;
    type Scope<'v> = Context<'v, 'v>;

    fn compile(
        source: &str,
        variables: Variables<'_>,
    ) -> Result<Compiled<Expression>, Vec<String>> {
        if source.len() > MAX_EXPRESSION_BYTES {
            return Err(vec![format!(
                "the expression is over {MAX_EXPRESSION_BYTES} bytes"
            )]);
        }
        let mut expression = parse::parse(source).map_err(|reason| vec![reason])?;
        let estimate = bounds::estimate(&expression, variables)?;
        rewrite::direct_members(&mut expression);
        Ok(Compiled {
            expression,
            may_be_bool: estimate.may_be_bool,
            cost: estimate.cost,
            size: estimate.size,
        })
    }

    fn bind<'v>(inputs: &Inputs<'v>) -> Context<'v, 'v> {
        let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
        context.add_variable_as_val("facts", values::object_to_cel(inputs.facts, inputs.shape));
        context.add_variable_as_val("subject", Box::new(CelString::from(inputs.subject)));
        context.add_variable_as_val("now", Box::new(CelInt::from(inputs.now)));
        context
    }

    fn bind_decision<'v>(context: &mut Context<'v, 'v>, rule: &'v str, outcome: &'v Object) {
        context.add_variable_as_val("rule", Box::new(CelString::from(rule)));
        context.add_variable_as_val("outcome", values::object_to_cel(outcome, &Shape::ANY));
    }

    fn evaluate(
        expression: &Expression,
        context: &Context<'_, '_>,
        depth: usize,
    ) -> Result<Value, String> {
        let value = context
            .resolve(expression)
            .map_err(|error| errors::explain(&error))?;
        values::from_cel(&value, depth).map_err(str::to_owned)
    }
}

/// The standard functions and `epochMillis`. Which of them policies may use is in `bounds`.
static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut env = Env::default().with_optional_support(false).with_stdlib();
    cel::add_overload!(env, fn date_time_to_millis: (CelString<'_>) -> Result<CelInt>, name = "epochMillis")
        .expect("no standard function has this name");
    Arc::new(env)
});

/// `epochMillis("2026-12-01T00:00:00Z")`: an instant as a number that compares with `now`.
fn date_time_to_millis(text: &CelString<'_>) -> Result<CelInt, ExecutionError> {
    match epoch_millis(text.inner()) {
        Some(millis) => Ok(CelInt::from(millis)),
        None => Err(ExecutionError::function_error(
            "epochMillis",
            "not a date-time of RFC 3339",
        )),
    }
}
