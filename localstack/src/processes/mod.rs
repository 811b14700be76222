//! The functions' processes: started by executing this very binary again, watched, restarted, and never left behind.
//!
//! Hard-won rules (design.md §6):
//! * `/proc/self/exe` is executed, since `current_exe()` names a file that a rebuild has replaced.
//! * Each process is in a group of its own, so that Ctrl-C in a terminal reaches the stack only, which then stops in stages.
//! * Each process watches its stdin and exits at its end. The other end is held here, so that it closes however the stack ends, SIGKILL
//!   included. (A parent-death signal would be bound to the *thread* that spawned.)

mod backoff;
mod environment;
mod output;
mod slot;
mod spawn;
mod status;
mod stdin_watch;
mod supervisor;

pub use environment::{Environment, ReservedName};
pub use status::ProcessStatus;
pub use stdin_watch::exit_with_parent;
pub use supervisor::{StartFailure, Supervisor};
