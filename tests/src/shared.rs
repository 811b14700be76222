//! One stack for the tests of a file that do not disturb each other.

use std::{
    ops::Deref,
    sync::{Arc, Weak},
};

use tokio::sync::Mutex;

use crate::Stack;

/// Starts a stack for the first test that asks, hands it to all that ask meanwhile, and ends it with the last of them: a stack that is kept
/// in a plain static would outlive the tests.
#[derive(Debug)]
pub struct SharedStack {
    args: &'static [&'static str],
    running: Mutex<Weak<Stack>>,
}

/// A test's part in a shared stack.
#[derive(Debug)]
pub struct Lease(Arc<Stack>);

impl SharedStack {
    /// A stack with these arguments, not started yet.
    pub const fn new(args: &'static [&'static str]) -> Self {
        Self {
            args,
            running: Mutex::const_new(Weak::new()),
        }
    }

    /// The stack. Start and end apart, tests must not count on being alone with it: keys have to be their own, the clock and the
    /// faults are left as they are.
    pub async fn get(&self) -> Lease {
        let mut running = self.running.lock().await;
        if let Some(stack) = running.upgrade() {
            return Lease(stack);
        }
        let stack = Arc::new(Stack::start(self.args).await);
        *running = Arc::downgrade(&stack);
        Lease(stack)
    }
}

impl Deref for Lease {
    type Target = Stack;

    fn deref(&self) -> &Stack {
        &self.0
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if std::thread::panicking() && Arc::strong_count(&self.0) > 1 {
            eprintln!("--- what the stack printed ---\n{}", self.0.output());
        }
    }
}
