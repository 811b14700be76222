//! `decide-once submit FILE`: each line of a file is a request; each is decided once, however often the file is submitted.
//!
//! ```text
//! read and check every line, send nothing yet ─► what the results file has is skipped ─► N at once, retried as the answers advise
//!                                                                                       └► a result a line, a summary, an exit code
//! ```
//!
//! What makes it safe to run again is the key of each line, and nothing here: a line without one has that of its content.

mod args;
mod error;
mod lines;
mod progress;
mod results;
mod summary;

use std::{env, sync::Arc, time::Duration};

use decide_once_client::{Client, HttpTransport};
use tokio::task::JoinSet;

pub use args::SubmitArgs;
pub use error::{SubmitError, WrongLine};
pub use summary::{Standing, Summary};

use progress::Progress;
use results::{Outcome, Results};

/// Submits a file, shows how far it is where somebody watches, and tells what came of it.
///
/// # Errors
/// Nothing was sent: the file, a line of it, the URL or the results file is wrong. Or a result could not be written
/// ([`SubmitError::is_before_sending`]): then the line it belongs to is submitted again by the next run, and is a replay.
pub async fn run(args: &SubmitArgs) -> Result<Summary, SubmitError> {
    let lines = lines::read(&args.file)?;
    let client = Arc::new(client(args)?);
    let service = args.url.trim_end_matches('/');
    let mut results = Results::open(args.results.as_deref(), service)?;
    let mut progress = Progress::begin(lines.len());
    let mut summary = Summary::default();
    let mut running = JoinSet::new();
    for line in lines {
        if let Some(decided) = results.of(&line) {
            summary.skip(decided);
            progress.advance(&summary, running.len());
            continue;
        }
        while running.len() >= usize::from(args.concurrency) {
            finish(&mut running, &mut results, &mut summary).await?;
            progress.advance(&summary, running.len());
        }
        // Whoever has not answered any line for as long as one is tried is not there.
        if summary.nobody_answers() {
            summary.leave(line.number);
            continue;
        }
        let client = Arc::clone(&client);
        running.spawn(async move {
            let answered = client.decide(&line.key, line.body.clone()).await;
            Outcome::of(&line, answered)
        });
    }
    while !running.is_empty() {
        finish(&mut running, &mut results, &mut summary).await?;
        progress.advance(&summary, running.len());
    }
    progress.end();
    Ok(summary)
}

/// Waits for one of them, and keeps its result before it is counted.
async fn finish(
    running: &mut JoinSet<Outcome>,
    results: &mut Results,
    summary: &mut Summary,
) -> Result<(), SubmitError> {
    if let Some(finished) = running.join_next().await {
        let outcome = finished.map_err(SubmitError::Task)?;
        results.add(&outcome)?;
        summary.count(&outcome);
    }
    Ok(())
}

fn client(args: &SubmitArgs) -> Result<Client<HttpTransport>, SubmitError> {
    let timeout = Duration::from_secs(args.timeout);
    let transport = HttpTransport::decisions(&args.url, timeout)?;
    let token = env::var(&args.token_variable).ok();
    let transport = match token.filter(|token| !token.is_empty()) {
        Some(token) => transport.with_token(&token)?,
        None => transport,
    };
    Ok(Client {
        patience: Duration::from_secs(args.patience),
        ..Client::new(transport)
    })
}
