//! How a user names snapshots and workspaces.

use serde_json::{Value, json};

/// Help for an argument that names a snapshot.
pub const SNAPSHOT_HELP: &str = "A snapshot's name or id, or turn:N";
/// Help for an argument that names a snapshot or a workspace.
pub const TREE_HELP: &str = "A snapshot's name or id, turn:N, or workspace:ID";

/// A snapshot: its name or id, or the turn that ended with it.
pub fn snapshot(text: &str) -> Value {
    turn(text).map_or_else(|| json!(text), |turn| json!({ "turn": turn }))
}

/// The number of turn:N.
pub fn turn(text: &str) -> Option<u64> {
    text.strip_prefix("turn:")?.parse().ok()
}

/// The files of a snapshot or of a workspace.
pub fn tree(text: &str) -> Value {
    match text.strip_prefix("workspace:") {
        Some(id) => json!({ "workspace": id }),
        None => json!({ "snapshot": snapshot(text) }),
    }
}

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
    fn a_turn_and_a_workspace_have_a_prefix() {
        assert_eq!(snapshot("turn:7"), json!({ "turn": 7 }));
        assert_eq!(snapshot("turn:seven"), json!("turn:seven"));
        assert_eq!(snapshot("works"), json!("works"));
        assert_eq!(tree("workspace:a-1"), json!({ "workspace": "a-1" }));
        assert_eq!(tree("turn:1"), json!({ "snapshot": { "turn": 1 } }));
    }

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
