//! The child's half of dying together.

use std::{io::Read, process, thread};

/// Ends this process once its stdin ends, which is when its parent lets go of it or dies.
///
/// A thread of its own, so that a busy or blocked async runtime cannot keep the process alive.
pub fn exit_with_parent() {
    thread::spawn(|| {
        let mut stdin = std::io::stdin().lock();
        let mut ignored = [0; 64];
        while stdin.read(&mut ignored).is_ok_and(|read| read > 0) {}
        process::exit(0);
    });
}
