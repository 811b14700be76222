//! A client of Decide Once: what a caller has to do so that its retries are the same operation.
//!
//! 1. [`keys`]: make a key before the first attempt, keep it over all of them;
//! 2. [`advice`]: what each answer asks for, as a table;
//! 3. [`backoff`]: how long to wait, `Retry-After` included;
//! 4. [`Client`]: the loop over them, on one screen, over a [`Transport`];
//! 5. [`HttpTransport`]: HTTP/1.1, with TLS.
//!
//! ```
//! use std::time::Duration;
//!
//! use decide_once_client::{Answered, Client, HttpTransport, keys};
//!
//! async fn ask(url: &str) -> Result<(), Box<dyn std::error::Error>> {
//!     let client = Client::new(HttpTransport::decisions(url, Duration::from_secs(30))?);
//!     // Kept with the order that it is for: whoever asks again, after a crash too, asks with this one.
//!     let key = keys::random();
//!     let request = r#"{"policy":"credit-limit","subject":"acct-42","facts":{"amount":12500}}"#;
//!     match client.decide(&key, request).await {
//!         Answered::Decided { body, replayed, .. } => println!("{body:?} ({replayed})"),
//!         Answered::Problem { problem, .. } => println!("no decision: {}", problem.code()),
//!         Answered::Unfinished { .. } => println!("nobody knows yet: ask again, with the same key"),
//!     }
//!     Ok(())
//! }
//! ```

pub mod advice;
pub mod backoff;
mod client;
mod http;
pub mod keys;
mod problem;
mod transport;

pub use client::{Answered, Client};
pub use http::{EndpointError, HttpTransport};
pub use problem::Problem;
pub use transport::{Answer, NoAnswer, Transport};
