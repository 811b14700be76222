//! The crate's evaluation errors in one sentence each, without values: its own messages repeat what the caller sent.

use cel::ExecutionError;

pub(super) fn explain(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(_) => {
            "a member that it needs is absent; test it with has() first".to_owned()
        }
        ExecutionError::NoSuchOverload(overload) => format!(
            "there is no `{}` for ({})",
            symbol(overload.function()),
            overload.argument_types().join(", ")
        ),
        ExecutionError::UnsupportedBinaryOperator(operator, left, right) => {
            format!(
                "there is no `{}` for ({}, {})",
                symbol(operator),
                left.type_of(),
                right.type_of()
            )
        }
        ExecutionError::UnexpectedType { got, want } => {
            format!("it needs {want} where there is {got}")
        }
        ExecutionError::UndeclaredReference(name) => format!("`{name}` is not known"),
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "it divides by zero".to_owned()
        }
        ExecutionError::Overflow(operator, _, _) => {
            format!("`{}` goes beyond an integer of 64 bits", symbol(operator))
        }
        ExecutionError::IndexOutOfBounds(_) => "an index is outside its list".to_owned(),
        ExecutionError::DuplicateKey(_) => "a map has a key twice".to_owned(),
        ExecutionError::FunctionError { function, .. } => {
            format!("`{function}` cannot convert its argument")
        }
        _ => "a value is of a type that it cannot work with".to_owned(),
    }
}

/// An operator as it is written.
fn symbol(name: &str) -> &str {
    match name {
        "add" => "+",
        "sub" | "negate" => "-",
        "mul" => "*",
        "div" => "/",
        "rem" => "%",
        "_[_]" => "[]",
        "@in" => "in",
        other => other.trim_matches('_'),
    }
}
