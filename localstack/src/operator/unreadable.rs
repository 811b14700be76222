//! What is said of an item that cannot be read: never what it holds.

use decide_once_protocol::writes::Unreadable;

/// Why it cannot be read, and whether something can be done about it.
pub(super) fn unreadable(why: &Unreadable) -> String {
    match why {
        Unreadable::Newer { version } => {
            format!("cannot be read: layout {version} is newer than this command; use a newer one")
        }
        Unreadable::Corrupt { attribute } => {
            format!("cannot be read: its attribute {attribute} is not what any version writes")
        }
    }
}
