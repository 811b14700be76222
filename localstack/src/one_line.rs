//! Errors as people read them in a terminal.

use std::error::Error;

/// An error and what caused it, in one line.
pub fn one_line(error: &(dyn Error + 'static)) -> String {
    let mut line = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        // Some errors say in their own text what caused them.
        if !line.contains(&cause_text) {
            line.push_str(": ");
            line.push_str(&cause_text);
        }
        next = cause.source();
    }
    line.replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot do it; do this")]
    struct Outer(#[source] io::Error);

    #[derive(Debug, thiserror::Error)]
    #[error("gave up: {0}")]
    struct Repeating(#[source] Outer);

    #[test]
    fn causes_follow_once_each() {
        let cause = io::Error::other("disk\nfull");
        let error = Repeating(Outer(cause));
        assert_eq!(
            one_line(&error),
            "gave up: cannot do it; do this: disk full"
        );
    }
}
