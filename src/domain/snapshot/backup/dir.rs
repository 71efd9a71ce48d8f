//! Directories that may be archived.

use crate::domain::{AbsolutePath, Error, Result};
use serde::{Deserialize, Serialize};

/// An archivable directory: at or under `/workspace`, `/home`, `/app`, or under `/tmp`, `/var/tmp`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BackupDir(String);

impl BackupDir {
    const AT_OR_UNDER: [&'static str; 3] = ["/workspace", "/home", "/app"];
    const UNDER: [&'static str; 2] = ["/tmp", "/var/tmp"];

    /// Parses a directory. Drops `//`, `.` and a trailing `/`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming `dir`.
    pub fn parse(text: &str) -> Result<Self> {
        let path = AbsolutePath::parse("dir", text)?;
        let allowed = Self::AT_OR_UNDER.iter().any(|root| path.is_at_or_under(root))
            || Self::UNDER.iter().any(|root| path.is_at_or_under(root) && path.as_str() != *root);
        if !allowed {
            return Err(Error::invalid(
                "dir",
                "must lie at or under /workspace, /home or /app, or under /tmp or /var/tmp",
            ));
        }
        Ok(Self(path.into()))
    }

    /// The directory as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `other` is this directory or in it.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        other.0.strip_prefix(&self.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl TryFrom<String> for BackupDir {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<BackupDir> for String {
    fn from(dir: BackupDir) -> Self {
        dir.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_directories_are_archived() {
        for good in [
            "/workspace",
            "/workspace/",
            "/workspace//a/./b",
            "/home/x",
            "/app",
            "/tmp/x",
            "/var/tmp/x",
        ] {
            assert!(BackupDir::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "workspace",
            "/",
            "/etc",
            "/tmp",
            "/tmp/",
            "/var/tmp",
            "/workspaces",
            "/workspace/../etc",
            "/home/\0",
            "/tmp/..",
        ] {
            assert!(BackupDir::parse(bad).is_err(), "{bad:?}");
        }
    }
}
