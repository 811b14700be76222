//! A queue's file: what was sent and what is gone, a line each.
//!
//! A line is with the operating system before its writer goes on, so that what was accepted survives the end of the process. What is left is
//! written anew at each start.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::Message;

/// An open file.
#[derive(Debug)]
pub(super) struct Kept {
    file: File,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Sent(Message),
    Gone(String),
}

impl Kept {
    /// The file, which is created if absent, and what is in the queue. A last line that its writer did not finish was never accepted.
    pub(super) fn open(path: &Path) -> io::Result<(Self, Vec<Message>)> {
        let written = match fs::read_to_string(path) {
            Ok(written) => written,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let mut messages: Vec<Message> = Vec::new();
        for line in written.lines() {
            match serde_json::from_str(line) {
                Ok(Line::Sent(message)) => messages.push(message),
                Ok(Line::Gone(id)) => messages.retain(|message| message.id != id),
                Err(_) => {}
            }
        }
        let fresh = path.with_extension("next");
        let mut kept = Self {
            file: File::create(&fresh)?,
        };
        for message in &messages {
            kept.sent(message)?;
        }
        fs::rename(fresh, path)?;
        Ok((kept, messages))
    }

    pub(super) fn sent(&mut self, message: &Message) -> io::Result<()> {
        self.write(&Line::Sent(message.clone()))
    }

    pub(super) fn gone(&mut self, id: &str) -> io::Result<()> {
        self.write(&Line::Gone(id.to_owned()))
    }

    fn write(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes())
    }
}
