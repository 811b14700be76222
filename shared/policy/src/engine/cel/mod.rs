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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::problem::Findings;
    use crate::schema::InputSchema;
    use crate::yaml;
    use decide_once_protocol::json::object;

    fn facts_schema() -> InputSchema {
        let schema = b"{ type: object, properties: { n: { type: integer }, t: { type: string, maxLength: 9 }, at: { type: string, format: date-time, maxLength: 40 }, list: { type: array, maxItems: 9, items: { type: integer } } } }";
        InputSchema::compile(&yaml::read(schema).unwrap(), &mut Findings::new("test")).unwrap()
    }

    fn evaluate(source: &str) -> Result<Value, String> {
        let schema = facts_schema();
        let variables = Variables {
            facts: schema.shape(),
            outcome: None,
        };
        let compiled = Cel::compile(source, variables).map_err(|problems| problems.join("; "))?;
        let list = Value::from(vec![1, 2, 3]);
        let facts = object([
            ("n", Value::from(5)),
            ("t", Value::from("tea")),
            ("at", Value::from("2026-12-01T00:00:00Z")),
            ("list", list),
        ]);
        let inputs = Inputs {
            facts: &facts,
            shape: schema.shape(),
            subject: "acct-42",
            now: 1_796_083_200_001,
        };
        Cel::evaluate(&compiled.expression, &Cel::bind(&inputs), 0)
    }

    #[test]
    fn what_policies_use_of_cel_works() {
        for (source, expected) in [
            ("facts.n * 2 + size(facts.list)", "13"),
            ("facts['n'] == 5 && facts.list[0] == 1", "true"),
            ("now - epochMillis(facts.at)", "1"),
            (
                "subject.startsWith('acct') ? facts.t + '!' : ''",
                "\"tea!\"",
            ),
            (
                "facts.list.filter(x, x > 1).map(x, {'x': x, 'a': -x})",
                r#"[{"a":-2,"x":2},{"a":-3,"x":3}]"#,
            ),
            (
                "[facts.list.all(x, x > 0), facts.list.exists_one(x, x == 2), 2 in facts.list]",
                "[true,true,true]",
            ),
            ("has(facts.t) && !has(facts.at)", "false"),
            ("double(facts.n) / 2.0", "2.5"),
            ("int('12') + int(2.9)", "14"),
            (
                "string(facts.n) + string(0.5) + string(true)",
                "\"50.5true\"",
            ),
            ("7 / 2 * 10 + -7 % 3", "29"),
            ("facts.n == null", "false"),
            ("false && 1 / 0 > 0", "false"),
        ] {
            assert_eq!(
                evaluate(source).map(|value| value.to_json()),
                Ok(expected.to_owned()),
                "{source}"
            );
        }
    }

    #[test]
    fn arithmetic_that_leaves_its_type_is_an_error_and_no_panic() {
        for (source, expected) in [
            ("facts.n / 0", "it divides by zero"),
            ("facts.n % 0", "it divides by zero"),
            (
                "9223372036854775807 + facts.n",
                "`+` goes beyond an integer of 64 bits",
            ),
            (
                "-9223372036854775808 / (facts.n - 6)",
                "`/` goes beyond an integer of 64 bits",
            ),
            (
                "-(-9223372036854775808)",
                "`-` goes beyond an integer of 64 bits",
            ),
            ("facts.list[3]", "an index is outside its list"),
            ("facts.list[-1]", "an index is outside its list"),
            ("1.0 / 0.0", "a number is infinite, or not a number"),
            ("int(1e300)", "`int` cannot convert its argument"),
            ("int(facts.t)", "`int` cannot convert its argument"),
            (
                "epochMillis(facts.t)",
                "`epochMillis` cannot convert its argument",
            ),
            ("{'a': 1, 'a': 2}", "a map has a key twice"),
            (
                "{1: 2}",
                "a map in the result has a key that is not a string",
            ),
            (
                "string(double(facts.t))",
                "`double` cannot convert its argument",
            ),
        ] {
            assert_eq!(evaluate(source), Err(expected.to_owned()), "{source}");
        }
    }

    /// On a test's thread (2 MiB of stack) and in a debug build, where frames are largest.
    #[test]
    fn the_deepest_expressions_that_are_accepted_are_evaluated() {
        let chains: [fn(usize) -> String; 6] = [
            |n| format!("facts.n{}", " + 1".repeat(n)),
            |n| format!("{}1{}", "[".repeat(n), "]".repeat(n)),
            |n| format!("{}2", "facts.n == 5 ? 1 : ".repeat(n)),
            |n| format!("{}1{}", "{'a': ".repeat(n), "}".repeat(n)),
            |n| format!("facts.list.map(x, x{})", " * 1".repeat(n)),
            |n| format!("facts.list{}", ".filter(x, x > 0)".repeat(n)),
        ];
        for chain in chains {
            let accepted = (1..60).take_while(|n| evaluate(&chain(*n)).is_ok()).count();
            assert!((8..30).contains(&accepted), "{} up to {accepted}", chain(1));
        }
    }
}
