//! Helpers for arguments of several commands. The server parses the selectors themselves.

/// Help for an argument that names a snapshot.
pub const SNAPSHOT_HELP: &str = "A snapshot's name or id, turn:N, latest or head";
/// Help for an argument that names a snapshot or a workspace.
pub const TREE_HELP: &str = "A snapshot's name or id, turn:N, latest or head; or a workspace's id, or now for the active one";

/// Reads KEY=VALUE.
pub fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("has to be KEY=VALUE")?;
    if key.is_empty() {
        return Err("has to be KEY=VALUE".to_owned());
    }
    Ok((key.to_owned(), value.to_owned()))
}

/// Reads a duration such as 90s, 15m, 12h or 7d. Without a unit it is in seconds.
pub fn seconds(text: &str) -> Result<u64, String> {
    let wrong = || "has to be a duration such as 90s, 15m, 12h or 7d".to_owned();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let factor = match text.get(digits.len()..) {
        Some("" | "s") => 1,
        Some("m" | "min") => 60,
        Some("h") => 3_600,
        Some("d") => 86_400,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(factor).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, read) in
            [("90", 90), ("90s", 90), ("15m", 900), ("12h", 43_200), ("7d", 604_800)]
        {
            assert_eq!(seconds(text), Ok(read));
        }
        for bad in ["", "d", "1w", "-1s", "1.5h", "99999999999999999999d", "18446744073709551615d"]
        {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn pairs_have_a_key() {
        assert_eq!(pair("a=b=c"), Ok(("a".to_owned(), "b=c".to_owned())));
        assert!(pair("a").is_err() && pair("=b").is_err());
    }
}
