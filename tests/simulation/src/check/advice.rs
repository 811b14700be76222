//! Advice can be followed.

use std::collections::BTreeMap;

use super::evidence::Evidence;
use super::{Violation, violated};
use crate::chance::Who;
use crate::journal::What;
use crate::policies::{KEY, RESULT};
use crate::simulate::AUDIT;
use crate::weather::FURTHEST;

/// `new-key` is said where nothing was and nothing will be committed under this key: the failure that says so was recorded within a result's
/// life before, and its key is not free for a key's life after.
pub(super) fn a_new_key_is_safe(evidence: &Evidence<'_>) -> Result<(), Violation> {
    for (at, posted, told) in &evidence.replies {
        if told.retry.as_deref() != Some("new-key") {
            continue;
        }
        let from = at.minus(KEY).plus(2 * FURTHEST);
        let to = at.plus(KEY - RESULT).minus(2 * FURTHEST);
        let committed = evidence.decisions.values().find(|decided| {
            let item = decided.item;
            item.key.as_str() == posted.key && from < item.evaluated_at && item.evaluated_at < to
        });
        if let Some(committed) = committed {
            let detail = format!(
                "POST {posted} was told so, and there is {}",
                committed.item.id
            );
            return violated("a new key is advised where nothing is committed", detail);
        }
    }
    Ok(())
}

/// In calm weather everybody is told how it ended.
pub(super) fn the_last_word_is_known(evidence: &Evidence<'_>) -> Result<(), Violation> {
    let mut last = BTreeMap::new();
    for entry in &evidence.run.entries {
        if let (Who::Decide(ask @ AUDIT..), What::Settles(how)) = (entry.who, &entry.what) {
            last.insert(ask, how);
        }
    }
    match last.into_iter().find(|(_, how)| *how == "out of patience") {
        None => Ok(()),
        Some((ask, _)) => violated("in the end everybody is told", format!("ask {ask} is not")),
    }
}
