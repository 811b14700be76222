//! Text from elsewhere, for a terminal.

/// A line that does to a terminal nothing but show: what is stored or answered may have anything in it.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
