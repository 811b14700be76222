//! The only input and output of this crate: reading the policies directory, once, at process start.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is where the crate reads files"
)]

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use decide_once_protocol::request::{PolicyId, PolicyVersion};

use crate::set::LoadError;
use crate::yaml::MAX_BYTES;

/// What a policies directory holds, not yet understood.
#[derive(Debug)]
pub(crate) struct Directory {
    pub(crate) policies: Vec<(PolicyId, PolicyVersion, Vec<u8>)>,
    pub(crate) active: Vec<u8>,
}

/// Reads `<id>/<version>.yaml` and `active.yaml`. Other files beside the policies' folders are left alone; inside them, only versions belong.
pub(crate) fn read(dir: &Path) -> Result<Directory, LoadError> {
    let active = read_file(&dir.join("active.yaml"))?;
    let mut policies = Vec::new();
    for folder in list(dir)? {
        let name = file_name(&folder);
        if name.starts_with('.') || !folder.is_dir() {
            continue;
        }
        let id = PolicyId::parse(&name).map_err(|_| LoadError::Misplaced {
            path: folder.clone(),
            expected: "a policy id: a lower-case letter, then up to 63 of a-z, 0-9 and '-'",
        })?;
        for file in list(&folder)? {
            if file_name(&file).starts_with('.') {
                continue;
            }
            let version = version_of(&file).ok_or_else(|| LoadError::Misplaced {
                path: file.clone(),
                expected: "a version: 1.yaml, 2.yaml, …",
            })?;
            policies.push((id.clone(), version, read_file(&file)?));
        }
    }
    Ok(Directory { policies, active })
}

/// The text of `lock`; `None` where there is no such file.
pub(crate) fn read_lock(dir: &Path) -> Result<Option<Vec<u8>>, LoadError> {
    let path = dir.join("lock");
    if path.exists() {
        read_file(&path).map(Some)
    } else {
        Ok(None)
    }
}

/// The entries of a directory, by name, so that everything derived from them has one order.
fn list(dir: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let unreadable = |source| LoadError::Unreadable {
        path: dir.to_owned(),
        source,
    };
    let mut entries = fs::read_dir(dir)
        .map_err(unreadable)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable)?;
    entries.sort();
    Ok(entries)
}

/// At most one byte more than a policy may have, so that a huge file is refused in bounded memory.
fn read_file(path: &Path) -> Result<Vec<u8>, LoadError> {
    bytes_of(path).map_err(|source| LoadError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX) + 1;
    let file = fs::File::open(path)?;
    // Read at once: a function reads its policies at every cold start.
    let expected = file.metadata()?.len().min(limit);
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or(MAX_BYTES));
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// `3.yaml`, in this spelling only: `03.yaml` would be a second file for version 3.
fn version_of(path: &Path) -> Option<PolicyVersion> {
    let name = file_name(path);
    let number: u32 = name.strip_suffix(".yaml")?.parse().ok()?;
    let version = PolicyVersion::new(number).ok()?;
    (format!("{version}.yaml") == name).then_some(version)
}
