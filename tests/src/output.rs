//! What a stack prints, kept for the moment in which a test fails.

use std::{
    io::{BufRead, BufReader, Read},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use tokio::sync::watch;

/// The lines of stdout and stderr so far, in order of arrival.
#[derive(Debug, Clone, Default)]
pub(crate) struct Output(Arc<Mutex<String>>);

impl Output {
    pub(crate) fn text(&self) -> String {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn push(&self, line: &str) {
        let mut text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        text.push_str(line);
        text.push('\n');
    }

    /// Reads `stream` to its end. Announces the URL of the line `ready <url>`, and the end by dropping the sender.
    pub(crate) fn collect(
        &self,
        stream: impl Read + Send + 'static,
        ready: Option<watch::Sender<Option<String>>>,
    ) {
        let output = self.clone();
        thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                output.push(&line);
                if let (Some(ready), Some(url)) = (&ready, line.strip_prefix("ready ")) {
                    ready.send_replace(Some(url.to_owned()));
                }
            }
        });
    }
}
