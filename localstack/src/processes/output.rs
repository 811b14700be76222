//! What function processes print goes to the stack's stderr, each line under the name of its process.

use std::io::Write;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Copies lines of `stream`, in the background, until it ends.
pub(super) fn pass_on(stream: impl AsyncRead + Unpin + Send + 'static, prefix: String) {
    tokio::spawn(async move {
        let mut lines = BufReader::new(stream).split(b'\n');
        while let Ok(Some(line)) = lines.next_segment().await {
            // One write a line, so that lines of several processes do not mix. A closed stderr must not stop the reading, or the
            // process would block on a full pipe.
            let line = format!("{prefix} {}\n", String::from_utf8_lossy(&line));
            let _ = std::io::stderr().write_all(line.as_bytes());
        }
    });
}
