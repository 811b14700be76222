//! Links a function's release program at a fixed address and with the unwinder inside: docs/decisions/0006 has the figures, and what it gives up.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=../build.rs");
    let is = |name, wanted| env::var(name).is_ok_and(|found| found == wanted);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        if is("CARGO_CFG_TARGET_ENV", "gnu") {
            // Before the standard library's own libgcc_s.so, which is not needed then.
            println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
        }
    }
}
