//! Links a function's release program at a fixed address: docs/decisions/0006 has the figures, and what it gives up for them.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=../build.rs");
    let is = |name, wanted| env::var(name).is_ok_and(|found| found == wanted);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
