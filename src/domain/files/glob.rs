//! Patterns of paths.

use crate::domain::error::{Error, Result};
use crate::domain::limits::PATTERN_MAX_BYTES;

/// A checked pattern: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any directories. One
/// without `/` matches names in any directory.
#[derive(Debug, Clone)]
pub struct Glob {
    pattern: String,
    names_only: bool,
}

impl Glob {
    /// Parses a pattern.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming `field`.
    pub fn parse(field: &str, pattern: &str) -> Result<Self> {
        if pattern.is_empty() || pattern.len() > PATTERN_MAX_BYTES {
            return Err(Error::invalid(field, format!("must be 1 to {PATTERN_MAX_BYTES} bytes")));
        }
        fast_glob::validate(pattern)
            .map_err(|error| Error::invalid(field, format!("is not a glob: {error}")))?;
        let names_only = !pattern.contains('/');
        let pattern = pattern.strip_prefix('/').unwrap_or(pattern).to_owned();
        Ok(Self { pattern, names_only })
    }

    /// Whether a relative path matches.
    #[must_use]
    pub fn matches(&self, path: &[u8]) -> bool {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        fast_glob::glob_match(self.pattern.as_bytes(), if self.names_only { name } else { path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_without_a_slash_matches_names_anywhere() {
        let matches =
            |pattern: &str, path: &[u8]| Glob::parse("glob", pattern).unwrap().matches(path);
        assert!(matches("*.py", b"a.py") && matches("*.py", b"src/deep/a.py"));
        assert!(!matches("*.py", b"a.pyc") && !matches("src/*.py", b"src/deep/a.py"));
        assert!(matches("src/**/*.{ts,tsx}", b"src/deep/a.tsx"));
        assert!(matches("src/**/*.ts", b"src/a.ts"));
        assert!(matches("/top", b"top") && !matches("/top", b"below/top"));
        assert!(matches("caf*", b"caf\xe9"), "names need not be UTF-8");
        for bad in ["", "{a", "[a"] {
            assert!(Glob::parse("glob", bad).unwrap_err().message.starts_with("glob"), "{bad}");
        }
    }

    #[test]
    fn a_hostile_pattern_takes_no_longer() {
        let matches =
            |pattern: &str, path: &[u8]| Glob::parse("glob", pattern).unwrap().matches(path);
        assert!(!matches(&"*a".repeat(2_000), &[b"a".repeat(4_000).as_slice(), b"b"].concat()));
        assert!(!matches(&format!("{}b", "{a,aa}".repeat(10)), &b"a".repeat(4_000)));
    }
}
