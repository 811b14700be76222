//! `decide-once [serve]`: start, say so, run until told to stop.

use std::io::{self, Write};

use tokio::signal::unix::{SignalKind, signal};

use crate::{
    banner,
    cli::ServeArgs,
    stack::{Stack, StartError},
};

/// Runs a stack until Ctrl-C, SIGTERM or the end of its terminal. A second signal ends it at once.
///
/// # Errors
/// It does not start.
pub async fn run(args: &ServeArgs) -> Result<(), StartError> {
    let (stop, mut stops) = tokio::sync::mpsc::unbounded_channel();
    for kind in [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
    ] {
        let mut signals = signal(kind).map_err(|source| StartError::System {
            what: "listen for signals",
            source,
        })?;
        let stop = stop.clone();
        tokio::spawn(
            async move { while signals.recv().await.is_some() && stop.send(()).is_ok() {} },
        );
    }

    let stack = tokio::select! {
        started = Stack::start(args) => started?,
        _ = stops.recv() => return Ok(()), // what had started ends with the process
    };
    // Whoever started this may have closed stdout; the stack works all the same.
    let banner = banner::text(stack.url(), args.auth, stack.sample());
    let _ = io::stdout().write_all(banner.as_bytes());
    stops.recv().await;
    tokio::select! {
        () = stack.shutdown() => {}
        _ = stops.recv() => {}
    }
    Ok(())
}
