//! `decide-once outbox …` and `decide-once operation …`: what an operator sees and does, on AWS or on a local stack.
//!
//! ```text
//!   args ──► connection ── AWS_* variables, or a local stack's `/_local/store` ──► the store ports
//!              │
//!              └─► outbox/{list,show,redrive}, operation/{list,show} ──► screen: aligned lines, or one JSON object a line
//! ```
//!
//! Each command does what a port offers, and no more: a redrive is the protocol's own conditional mark, so it never creates a row.
//! Nothing of a request or an event is printed unless `--facts` or `--data` asks for it, and no key of AWS ever.

mod args;
mod connection;
mod counts;
mod error;
mod fields;
mod local_stack;
mod merged;
mod operation;
mod outbox;
mod progress;
mod screen;
mod span;
mod unreadable;

pub use args::{OperationArgs, OperatorArgs, OutboxArgs};
pub use error::OperatorError;

use args::{OperationCommand, OutboxCommand};
use connection::Connection;
use screen::Screen;

/// How a command ended that could be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Everything that was asked for is done.
    Well,
    /// Something is not there, cannot be read, or was not done; it has been said what.
    Short,
}

/// Does what was asked.
///
/// # Errors
/// It could not be carried out at all, or not to its end.
pub async fn run(args: &OperatorArgs) -> Result<Ended, OperatorError> {
    match args {
        OperatorArgs::Outbox(args) => {
            let connection = Connection::open(&args.store).await?;
            let screen = Screen::new(args.json);
            match &args.command {
                OutboxCommand::List(asked) => outbox::list::run(&connection, asked, &screen).await,
                OutboxCommand::Show(asked) => outbox::show::run(&connection, asked, &screen).await,
                OutboxCommand::Redrive(asked) => {
                    outbox::redrive::run(&connection, asked, &screen).await
                }
            }
        }
        OperatorArgs::Operation(args) => {
            let connection = Connection::open(&args.store).await?;
            let screen = Screen::new(args.json);
            match &args.command {
                OperationCommand::List(asked) => {
                    operation::list::run(&connection, asked, &screen).await
                }
                OperationCommand::Show(asked) => {
                    operation::show::run(&connection, asked, &screen).await
                }
            }
        }
    }
}
