//! Starts one process of a function.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::Stdio,
};

use tokio::process::{Child, ChildStdin, Command};

use super::output;
use crate::runtime_api::InstanceId;

/// A process that runs, and the end of the pipe whose closing ends it.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) child: Child,
    /// Taken out of the child, since `Child::wait` closes a piped stdin.
    pub(super) stdin: Option<ChildStdin>,
}

pub(super) fn spawn(
    function: &str,
    instance: InstanceId,
    variables: Vec<(String, OsString)>,
) -> io::Result<Running> {
    let mut child = Command::new(this_executable()?)
        .arg0("decide-once")
        .args(["function", function])
        .env_clear()
        .envs(variables)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?;
    let prefix = format!("[{function} {instance}]");
    if let Some(stdout) = child.stdout.take() {
        output::pass_on(stdout, prefix.clone());
    }
    if let Some(stderr) = child.stderr.take() {
        output::pass_on(stderr, prefix);
    }
    let stdin = child.stdin.take();
    Ok(Running { child, stdin })
}

/// The running binary itself, also after a rebuild has replaced the file (Linux), or the file that it came from (elsewhere).
fn this_executable() -> io::Result<PathBuf> {
    let linux = Path::new("/proc/self/exe");
    if linux.exists() {
        Ok(linux.to_owned())
    } else {
        std::env::current_exe()
    }
}
