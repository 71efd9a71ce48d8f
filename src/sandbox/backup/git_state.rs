//! Reads the state of the repository that a backup captures.

use crate::domain::snapshot::meta::GitState;
use crate::sandbox::checkpoints::records::Records;

/// Parses a commit, a branch, and yes or no, each with a NUL. None if there is no
/// repository, or if it could not be read in time: a backup does not fail because of it.
pub(crate) fn parse(printed: &[u8]) -> Option<GitState> {
    let mut records = Records(printed);
    let mut text = || {
        let text = String::from_utf8_lossy(records.next()?).into_owned();
        Some((!text.is_empty()).then_some(text))
    };
    Some(GitState { head: text()?, branch: text()?, clean: text()?? == "yes" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_none() {
        let git = |head: Option<&str>, branch: Option<&str>, clean| GitState {
            head: head.map(str::to_owned),
            branch: branch.map(str::to_owned),
            clean,
        };
        assert_eq!(parse(b"abc\0main\0yes\0"), Some(git(Some("abc"), Some("main"), true)));
        assert_eq!(parse(b"\0\0no\0"), Some(git(None, None, false)));
        assert_eq!(parse(b"abc\0main\0"), None);
        assert_eq!(parse(b""), None);
    }
}
