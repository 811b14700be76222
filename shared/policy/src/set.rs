//! All packaged policies: which versions there are, and which of each is active.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use decide_once_protocol::json::Value;
use decide_once_protocol::request::{PolicyId, PolicyVersion};

use crate::active;
use crate::files;
use crate::policy::Policy;
use crate::problem::Problem;
use crate::yaml::{self, Node};

/// Why a policies directory cannot be used at all. Each displays as one line.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file or directory cannot be read.
    #[error("cannot read {path}: {source}; name the policies directory", path = path.display())]
    Unreadable {
        /// What could not be read.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A name that is neither a policy's nor a version's.
    #[error("{path} does not belong here; expected {expected}", path = path.display())]
    Misplaced {
        /// The file or directory.
        path: PathBuf,
        /// What would be right.
        expected: &'static str,
    },
    /// The same version twice.
    #[error("policy {id} has version {version} twice; remove one")]
    Twice {
        /// The policy.
        id: PolicyId,
        /// The version.
        version: PolicyVersion,
    },
    /// `active.yaml` is not a mapping of packaged policies to packaged versions.
    #[error("{0}")]
    Active(Problem),
}

/// Why a policy version cannot decide.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// There is no such policy here.
    #[error("policy {0} is not packaged here")]
    UnknownPolicy(PolicyId),
    /// The policy is packaged, but not in this version.
    #[error("policy {0} is not packaged here in version {1}")]
    UnknownVersion(PolicyId, PolicyVersion),
    /// The file is there, but the check refuses it.
    #[error("policy {id} version {version} is refused: {first}; run `decide-once policy check`")]
    Broken {
        /// The policy.
        id: PolicyId,
        /// The version.
        version: PolicyVersion,
        /// The first of its problems.
        first: Problem,
    },
}

/// Every policy version that is packaged with the process. Files are parsed and compiled on first use and stay compiled; a copy
/// shares what is compiled.
#[derive(Clone, Debug)]
pub struct PolicySet {
    policies: BTreeMap<PolicyId, Versions>,
}

#[derive(Clone, Debug, Default)]
struct Versions {
    active: Option<PolicyVersion>,
    packaged: BTreeMap<PolicyVersion, Arc<Packaged>>,
}

#[derive(Debug)]
pub(crate) struct Packaged {
    /// Relative to the policies directory.
    pub(crate) file: String,
    pub(crate) bytes: Vec<u8>,
    compiled: OnceLock<Result<Policy, Vec<Problem>>>,
}

/// One packaged version.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// The policy.
    pub id: &'a PolicyId,
    /// The version.
    pub version: PolicyVersion,
    /// Whether requests that name no version get this one.
    pub active: bool,
    pub(crate) packaged: &'a Packaged,
}

impl Listed<'_> {
    /// SHA-256 of the file's bytes.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.packaged.digest()
    }
}

impl PolicySet {
    /// Reads the policies directory: `<id>/<version>.yaml` and `active.yaml`. Nothing is compiled yet.
    ///
    /// # Errors
    /// When the directory cannot be read, has files that do not belong, or `active.yaml` names what is not packaged.
    pub fn load(dir: &Path) -> Result<Self, LoadError> {
        let directory = files::read(dir)?;
        Self::from_files(directory.policies, &directory.active)
    }

    /// The same from bytes in memory.
    ///
    /// # Errors
    /// When a version is there twice, or `active` names what is not packaged.
    pub fn from_files(
        files: impl IntoIterator<Item = (PolicyId, PolicyVersion, Vec<u8>)>,
        active: &[u8],
    ) -> Result<Self, LoadError> {
        let mut set = Self::packaged(files)?;
        set.activate(active).map_err(LoadError::Active)?;
        Ok(set)
    }

    /// Versions of which none is active yet.
    pub(crate) fn packaged(
        files: impl IntoIterator<Item = (PolicyId, PolicyVersion, Vec<u8>)>,
    ) -> Result<Self, LoadError> {
        let mut policies: BTreeMap<PolicyId, Versions> = BTreeMap::new();
        for (id, version, bytes) in files {
            let packaged = Arc::new(Packaged {
                file: format!("{id}/{version}.yaml"),
                bytes,
                compiled: OnceLock::new(),
            });
            let versions = policies.entry(id.clone()).or_default();
            if versions.packaged.insert(version, packaged).is_some() {
                return Err(LoadError::Twice { id, version });
            }
        }
        Ok(Self { policies })
    }

    /// Activates what `active.yaml` names, up to the first line that names what is not packaged.
    pub(crate) fn activate(&mut self, active: &[u8]) -> Result<(), Problem> {
        for activation in active::read(active)? {
            let policy = PolicyId::parse(&activation.policy).ok();
            let versions = policy.and_then(|id| self.policies.get_mut(&id));
            match (versions, PolicyVersion::new(activation.version)) {
                (Some(versions), Ok(version)) if versions.packaged.contains_key(&version) => {
                    versions.active = Some(version);
                }
                _ => {
                    return Err(activation.problem(format!(
                        "`{}` is not packaged in version {}; package a version one release before it is activated",
                        activation.policy, activation.version
                    )));
                }
            }
        }
        Ok(())
    }

    /// The version that a request which names none gets.
    #[must_use]
    pub fn active(&self, id: &PolicyId) -> Option<PolicyVersion> {
        self.policies.get(id)?.active
    }

    /// A policy version, compiled on first use.
    ///
    /// # Errors
    /// When it is not packaged, or the check refuses it.
    pub fn get(&self, id: &PolicyId, version: PolicyVersion) -> Result<&Policy, Unavailable> {
        let versions = self
            .policies
            .get(id)
            .ok_or_else(|| Unavailable::UnknownPolicy(id.clone()))?;
        let packaged = versions
            .packaged
            .get(&version)
            .ok_or_else(|| Unavailable::UnknownVersion(id.clone(), version))?;
        packaged
            .policy(id, version)
            .map_err(|problems| match problems.first() {
                Some(first) => Unavailable::Broken {
                    id: id.clone(),
                    version,
                    first: first.clone(),
                },
                // A refusal always has a problem; if not, there is nothing to decide with either way.
                None => Unavailable::UnknownVersion(id.clone(), version),
            })
    }

    /// A policy version as it is written, as JSON: its schema, rules, events and examples.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn document(&self, id: &PolicyId, version: PolicyVersion) -> Result<Value, Unavailable> {
        self.get(id, version)?;
        let packaged = self
            .policies
            .get(id)
            .and_then(|versions| versions.packaged.get(&version));
        let document = packaged.and_then(|packaged| yaml::read::<Node>(&packaged.bytes).ok());
        // Both are there: the version was compiled from the same bytes.
        document
            .map(|node| node.to_value())
            .ok_or_else(|| Unavailable::UnknownVersion(id.clone(), version))
    }

    /// Every packaged version, by policy and version.
    pub fn list(&self) -> impl Iterator<Item = Listed<'_>> {
        self.policies.iter().flat_map(|(id, versions)| {
            versions
                .packaged
                .iter()
                .map(move |(version, packaged)| Listed {
                    id,
                    version: *version,
                    active: versions.active == Some(*version),
                    packaged,
                })
        })
    }
}

impl Packaged {
    pub(crate) fn digest(&self) -> [u8; 32] {
        use sha2::Digest as _;
        sha2::Sha256::digest(&self.bytes).into()
    }

    pub(crate) fn policy(
        &self,
        id: &PolicyId,
        version: PolicyVersion,
    ) -> Result<&Policy, &[Problem]> {
        self.compiled
            .get_or_init(|| Policy::compile(&self.file, id, version, &self.bytes))
            .as_ref()
            .map_err(Vec::as_slice)
    }
}
