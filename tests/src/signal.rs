//! Signals to processes, by their ids.

use std::process::{Command, Stdio};

/// Sends `signal` (`KILL`, `STOP`, `CONT`, `INT`, …). A process that is gone already does not mind.
///
/// # Panics
/// There is no command `kill`.
pub fn send(signal: &str, pid: u32) {
    Command::new("kill")
        .args([format!("-{signal}"), pid.to_string()])
        .stderr(Stdio::null())
        .status()
        .unwrap();
}

/// Whether a process exists (a zombie does not count).
///
/// # Panics
/// There is no command `ps`.
pub fn is_alive(pid: u32) -> bool {
    let state = Command::new("ps")
        .args(["-o", "stat=", "-p", &pid.to_string()])
        .output()
        .unwrap();
    let state = String::from_utf8_lossy(&state.stdout);
    let state = state.trim();
    !state.is_empty() && !state.starts_with('Z')
}
