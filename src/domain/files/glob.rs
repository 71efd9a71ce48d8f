//! Path patterns. Pattern and path may be hostile, so time is bounded: braces are expanded first,
//! because trying nested alternatives takes exponential time. [`Work`] counts a match's steps, at
//! most the product of both lengths.

mod expand;

use crate::domain::files::glob::expand::{expanded, without_braces};
use crate::domain::limits::{GLOB_WORK_MAX, PATTERN_MAX_BYTES};
use crate::domain::{Error, Result};
use std::cell::Cell;

/// A pattern of `*`, `?`, `[a-z]`, `{a,b}`, `**`. Without `/`, it matches names in any directory.
#[derive(Debug, Clone)]
pub struct Glob {
    /// Any of them has to match.
    patterns: Vec<Pattern>,
    names_only: bool,
}

#[derive(Debug, Clone)]
enum Pattern {
    /// A literal, or the start and end of a name.
    Affixes {
        prefix: Vec<u8>,
        suffix: Option<Vec<u8>>,
    },
    Other(String),
}

/// How much matching a call has done, so that it can be limited.
#[derive(Debug, Default)]
pub struct Work(Cell<u64>);

impl Work {
    /// Whether the call has done as much work as it may.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.0.get() > GLOB_WORK_MAX
    }

    fn add(&self, steps: usize) {
        self.0.set(self.0.get().saturating_add(steps as u64));
    }
}

impl Glob {
    /// Parses a caller's pattern.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming `field`.
    pub fn parse(field: &str, pattern: &str) -> Result<Self> {
        if pattern.is_empty() || pattern.len() > PATTERN_MAX_BYTES {
            return Err(Error::invalid(field, format!("must be 1 to {PATTERN_MAX_BYTES} bytes")));
        }
        let invalid = |problem: String| Error::invalid(field, problem);
        fast_glob::validate(pattern).map_err(|error| invalid(format!("is not a glob: {error}")))?;
        let rooted = pattern.strip_prefix('/').unwrap_or(pattern);
        let patterns = expanded(rooted).map_err(invalid)?;
        Ok(Self {
            patterns: patterns.into_iter().map(Pattern::of).collect(),
            names_only: !pattern.contains('/'),
        })
    }

    /// Parses a line of a `.gitignore`, where braces are literal. None if it is no pattern.
    #[must_use]
    pub fn of_ignore_file(line: &str) -> Option<Self> {
        if line.is_empty() || line.len() > PATTERN_MAX_BYTES {
            return None;
        }
        let pattern = without_braces(line.strip_prefix('/').unwrap_or(line));
        fast_glob::validate(&pattern).ok()?;
        let patterns = vec![Pattern::of(pattern)];
        Some(Self { patterns, names_only: !line.contains('/') })
    }

    /// Whether a relative path matches.
    #[must_use]
    pub fn matches(&self, path: &[u8], work: &Work) -> bool {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let path = if self.names_only { name } else { path };
        self.patterns.iter().any(|pattern| {
            work.add(pattern.steps(path));
            pattern.matches(path)
        })
    }
}

impl Pattern {
    fn of(pattern: String) -> Self {
        let is_plain = |text: &str| !text.contains(['*', '?', '[', ']', '{', '}', '\\', '!']);
        let (prefix, suffix) = match pattern.split_once('*') {
            None => (pattern.as_str(), None),
            Some((prefix, suffix)) => (prefix, Some(suffix)),
        };
        if is_plain(prefix) && suffix.is_none_or(is_plain) {
            let suffix = suffix.map(|suffix| suffix.as_bytes().to_vec());
            return Self::Affixes { prefix: prefix.as_bytes().to_vec(), suffix };
        }
        Self::Other(pattern)
    }

    fn matches(&self, path: &[u8]) -> bool {
        match self {
            Self::Affixes { prefix, suffix: None } => path == prefix.as_slice(),
            Self::Affixes { prefix, suffix: Some(suffix) } => path
                .strip_prefix(prefix.as_slice())
                .and_then(|rest| rest.strip_suffix(suffix.as_slice()))
                .is_some_and(|between| !between.contains(&b'/')),
            Self::Other(pattern) => fast_glob::glob_match(pattern.as_bytes(), path),
        }
    }

    /// An upper bound for the steps of a match.
    fn steps(&self, path: &[u8]) -> usize {
        match self {
            Self::Affixes { .. } => path.len() + 1,
            Self::Other(pattern) => (pattern.len() + 1) * (path.len() + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn matches(pattern: &str, path: &[u8]) -> bool {
        Glob::parse("glob", pattern).unwrap().matches(path, &Work::default())
    }

    #[test]
    fn a_pattern_without_a_slash_matches_names_anywhere() {
        assert!(matches("*.py", b"a.py") && matches("*.py", b"src/deep/a.py"));
        assert!(!matches("*.py", b"a.pyc") && !matches("src/*.py", b"src/deep/a.py"));
        assert!(matches("src/**/*.{ts,tsx}", b"src/deep/a.tsx"));
        assert!(matches("src/**/*.ts", b"src/a.ts"));
        assert!(matches("/top", b"top") && !matches("/top", b"below/top"));
        assert!(matches("caf*", b"caf\xe9"), "names need not be UTF-8");
        assert!(matches("a*a", b"aa") && !matches("a*a", b"a"), "no byte counts twice");
        for bad in ["", "{a", "[a"] {
            assert!(Glob::parse("glob", bad).unwrap_err().message.starts_with("glob"), "{bad}");
        }
    }

    #[test]
    fn braces_are_expanded_up_to_a_cap() {
        assert!(matches("{a,b}/{c,d{e,f}}", b"b/df") && !matches("{a,b}/{c,d{e,f}}", b"b/d"));
        assert!(matches("x{,y}", b"x") && matches("[{]a,b}", b"{a,b}") && matches("\\{a}", b"{a}"));
        assert!(!matches("{sub/a,b}", b"sub/b"), "a slash in any alternative roots all");
        let many = format!("{}b", "{a,b,c,d,e,f,g,h,i,j,k}".repeat(2));
        let error = Glob::parse("glob", &many).unwrap_err();
        assert!(error.message.contains("more than 100 patterns"), "{}", error.message);
    }

    #[test]
    fn a_line_of_an_ignore_file_takes_braces_literally() {
        let of = |line: &str, path: &[u8]| {
            Glob::of_ignore_file(line).unwrap().matches(path, &Work::default())
        };
        assert!(of("*.{js,ts}", b"a.{js,ts}") && !of("*.{js,ts}", b"a.js"));
        assert!(of("{", b"{") && of("[{]x", b"{x") && of("\\{x", b"{x") && of("a}", b"a}"));
        assert!(of("!x", b"!x") && !of("!x", b"y"), "only the first ! of a line negates");
        assert!(of("\\new", b"new"), "a backslash makes no control character");
        assert!(Glob::of_ignore_file("[a").is_none() && Glob::of_ignore_file("").is_none());
    }

    /// Groups must not take exponential time.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test measures time")]
    fn time_grows_with_the_product_of_both_lengths() {
        let took = |pattern: &str, path: &[u8]| -> Duration {
            let glob = Glob::of_ignore_file(pattern).unwrap();
            let took = |_| {
                let began = Instant::now();
                for _ in 0..10 {
                    assert!(!glob.matches(path, &Work::default()));
                }
                began.elapsed()
            };
            (0..5).map(took).min().unwrap()
        };
        let stars = format!("{}b", "*a".repeat(200));
        let groups = format!("{}b", format!("{{{}}}", ["*a"; 12].join(",")).repeat(30));
        let deep = "**/a/**/a/**/a/**/b".to_owned();
        for (pattern, name) in [(stars, "a"), (groups, "a"), (deep, "a/")] {
            let (short, long) = (name.repeat(500), name.repeat(2_000));
            let (short, long) = (took(&pattern, short.as_bytes()), took(&pattern, long.as_bytes()));
            // The length grows fourfold; quadratic time would grow sixteenfold.
            assert!(long < short * 12 + Duration::from_millis(2), "{short:?}, {long:?}: {pattern}");
        }
    }

    #[test]
    fn work_is_counted_up_to_a_limit() {
        let glob = Glob::parse("glob", &"*a".repeat(2_000)).unwrap();
        let (work, path) = (Work::default(), b"b".repeat(4_000));
        let tries = std::iter::from_fn(|| (!work.is_done()).then(|| glob.matches(&path, &work)));
        assert!((10..100).contains(&tries.count()));
        let cheap = Work::default();
        assert!(Glob::parse("glob", "*.rs").unwrap().matches(b"src/lib.rs", &cheap));
        assert!(!cheap.is_done() && cheap.0.get() < 10, "an extension costs little");
    }
}
