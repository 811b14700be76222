//! What must not be forgotten: JSON texts in the order in which they came.
//!
//! In memory; with a data directory also in a file, a line each, so that what the stack has acknowledged outlives it. A
//! line is with the operating system before its writer goes on: it survives the end of the process, however that comes.

use std::{
    fs::File,
    io::{self, Read, Seek, Write},
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::de::IgnoredAny;

/// A list that only grows.
#[derive(Debug)]
pub struct Journal {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    texts: Vec<String>,
    file: Option<File>,
}

impl Journal {
    /// An empty one, kept as long as the stack.
    pub fn memory() -> Self {
        Self::new(Vec::new(), None)
    }

    /// The one in this file, which is created if absent. A last line that its writer did not finish was never
    /// acknowledged, and is cut off.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn file(path: &Path) -> io::Result<Self> {
        let mut file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)?;
        let mut written = String::new();
        file.read_to_string(&mut written)?;
        let whole = written.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(u64::try_from(whole).unwrap_or(u64::MAX))?;
        file.seek(io::SeekFrom::End(0))?;
        let texts = written[..whole].lines().map(str::to_owned).collect();
        Ok(Self::new(texts, Some(file)))
    }

    fn new(texts: Vec<String>, file: Option<File>) -> Self {
        Self {
            state: Mutex::new(State { texts, file }),
        }
    }

    /// Adds a JSON text, byte for byte but for line breaks, which JSON has only between its tokens.
    ///
    /// # Errors
    /// It is not JSON, or it cannot be written; then it is not added.
    pub fn append(&self, text: &str) -> io::Result<()> {
        serde_json::from_str::<IgnoredAny>(text)?;
        let text = text.trim().replace(['\n', '\r'], " ");
        let mut state = self.lock();
        if let Some(file) = &mut state.file {
            file.write_all(format!("{text}\n").as_bytes())?;
        }
        state.texts.push(text);
        Ok(())
    }

    /// All of them, as the text of a JSON array.
    pub fn to_json(&self) -> String {
        format!("[{}]", self.lock().texts.join(",\n"))
    }

    /// A panic elsewhere leaves it usable: a text is added last.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn texts_keep_their_bytes_and_their_order() {
        let journal = Journal::memory();
        assert_eq!(journal.to_json(), "[]");
        journal.append(r#"{"b":1.0,"a":"ä"}"#).unwrap();
        journal.append("{\n}\r\n").unwrap();
        assert_eq!(journal.to_json(), "[{\"b\":1.0,\"a\":\"ä\"},\n{ }]");
        assert!(journal.append("{").is_err());
    }

    #[test]
    fn a_file_outlives_its_journal_without_what_was_never_finished() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("events.jsonl");
        Journal::file(&path).unwrap().append("1").unwrap();
        let mut torn = File::options().append(true).open(&path).unwrap();
        torn.write_all(b"{\"half").unwrap();
        let journal = Journal::file(&path).unwrap();
        journal.append("2").unwrap();
        drop(journal);
        assert_eq!(Journal::file(&path).unwrap().to_json(), "[1,\n2]");
    }
}
