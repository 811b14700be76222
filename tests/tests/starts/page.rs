//! The table of docs/variables.md.

const PAGE: &str = include_str!("../../../docs/variables.md");

/// A row.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    pub(crate) functions: Vec<&'static str>,
    pub(crate) default: &'static str,
    pub(crate) form: &'static str,
}

/// All of them.
pub(crate) fn variables() -> Vec<Variable> {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| `"));
    let variables: Vec<_> = rows
        .map(|row| {
            let cells: Vec<_> = row.trim_end_matches(" |").splitn(4, " | ").collect();
            let [name, functions, default, form] = cells[..] else {
                panic!("{row}");
            };
            Variable {
                name: name.trim_end_matches('`'),
                functions: match functions {
                    "all" => super::FUNCTIONS.to_vec(),
                    some => some.split(", ").collect(),
                },
                default,
                form,
            }
        })
        .collect();
    assert!(variables.len() > 40);
    variables
}
