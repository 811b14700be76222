//! The command `decide-once`.

fn main() {}
