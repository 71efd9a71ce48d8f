//! Paths inside a container, checked as text. The script that opens a file checks symlinks.

use crate::domain::limits::PATH_MAX_BYTES;
use crate::domain::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// An absolute path without `.`, `..`, empty segments or NUL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AbsolutePath(String);

impl AbsolutePath {
    /// Parses an absolute path. Drops `.` and empty segments.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming `field` for a path that is relative, too long, or has `..` or NUL.
    pub fn parse(field: &str, text: &str) -> Result<Self> {
        if text.len() > PATH_MAX_BYTES {
            return Err(Error::invalid(field, format!("is longer than {PATH_MAX_BYTES} bytes")));
        }
        if text.contains('\0') {
            return Err(Error::invalid(field, "must not contain NUL"));
        }
        let Some(relative) = text.strip_prefix('/') else {
            return Err(Error::invalid(field, "must be absolute"));
        };
        let segments: Vec<&str> =
            relative.split('/').filter(|segment| !segment.is_empty() && *segment != ".").collect();
        if segments.contains(&"..") {
            return Err(Error::invalid(field, "must not contain .. segments"));
        }
        Ok(Self(format!("/{}", segments.join("/"))))
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the path is `root`, or in it. `root` is absolute, without a trailing `/`.
    #[must_use]
    pub fn is_at_or_under(&self, root: &str) -> bool {
        is_at_or_under(&self.0, root)
    }

    /// Whether one path is, or contains, the other. `other` is absolute, without a trailing `/`.
    #[must_use]
    pub fn overlaps(&self, other: &str) -> bool {
        is_at_or_under(&self.0, other) || is_at_or_under(other, &self.0)
    }

    /// Resolves a caller's path, with `..`, against this root.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` about `field` if the result is outside the root.
    pub fn resolve(&self, field: &str, named: &str) -> Result<Self> {
        if named.is_empty() || named.contains('\0') {
            return Err(Error::invalid(field, "must not be empty or contain NUL"));
        }
        let absolute =
            if named.starts_with('/') { named.to_owned() } else { format!("{self}/{named}") };
        let mut segments: Vec<&str> = Vec::new();
        for segment in absolute.split('/') {
            match segment {
                "" | "." => {}
                ".." => {
                    segments.pop();
                }
                other => segments.push(other),
            }
        }
        let resolved = Self::parse(field, &format!("/{}", segments.join("/")))?;
        if resolved.is_at_or_under(&self.0) {
            Ok(resolved)
        } else {
            Err(outside(field, format!("{named} is outside the workspace root {self}")))
        }
    }
}

fn is_at_or_under(path: &str, root: &str) -> bool {
    path.strip_prefix(root)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || root == "/")
}

/// The error for a path that a link leads outside the root.
#[must_use]
pub fn leads_outside(path: &str, root: &str) -> Error {
    outside("path", format!("{path} leads outside the workspace root {root}"))
}

fn outside(field: &str, problem: String) -> Error {
    Error::invalid(field, problem)
        .with_hint("name a path below that root, relative to it; links are followed and must stay below it too")
}

impl fmt::Display for AbsolutePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for AbsolutePath {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse("path", &text)
    }
}

impl From<AbsolutePath> for String {
    fn from(path: AbsolutePath) -> Self {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn root() -> AbsolutePath {
        AbsolutePath::parse("workspaceDir", "/workspace").unwrap()
    }

    #[test]
    fn relative_and_absolute_names_resolve_under_the_root() {
        let resolve = |named| root().resolve("path", named).map(String::from);
        assert_eq!(resolve("a/../b").unwrap(), "/workspace/b");
        assert_eq!(resolve("/workspace/a//b/.").unwrap(), "/workspace/a/b");
        assert_eq!(resolve(".").unwrap(), "/workspace");
        for outside in [
            "..",
            "/etc/passwd",
            "../workspaces/x",
            "a/../../etc",
            "/workspace/../etc",
            "/workspacex",
        ] {
            let error = resolve(outside).unwrap_err();
            assert!(
                error.message.contains(outside) && error.message.contains("/workspace"),
                "{error}"
            );
        }
    }

    proptest! {
        #[test]
        fn nothing_resolves_outside_the_root(named in "[a-z./]{0,40}") {
            if let Ok(path) = root().resolve("path", &named) {
                prop_assert!(path.as_str() == "/workspace" || path.as_str().starts_with("/workspace/"));
                prop_assert!(!path.as_str().split('/').any(|segment| segment == ".."));
            }
        }
    }
}
