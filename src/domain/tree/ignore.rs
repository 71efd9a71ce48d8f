//! Files that a comparison only counts: `.git`, those in `.gitignore` files, and caches of Python.

use crate::domain::files::glob::{Glob, Work};
use crate::domain::limits::TREE_IGNORE_RULES_MAX;
use crate::domain::tree::is_at_or_below;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Can be generated again. A `.gitignore` file may include them with `!`.
const CACHES: [&[u8]; 5] =
    [b"__pycache__", b".venv", b".pytest_cache", b".mypy_cache", b".ruff_cache"];

/// The rules of a tree's `.gitignore` files.
#[derive(Debug, Default)]
pub struct Ignored {
    /// By directory. Later rules, and those of deeper directories, take precedence.
    rules: BTreeMap<Vec<u8>, Vec<Rule>>,
    count: usize,
    work: Rc<Work>,
    caches: bool,
    /// The last directory that is not ignored.
    shown: RefCell<Option<Vec<u8>>>,
}

#[derive(Debug)]
struct Rule {
    glob: Glob,
    only_directories: bool,
    includes: bool,
}

impl Ignored {
    /// No rules except for caches. `work` counts the matching.
    #[must_use]
    pub fn counted_by(work: Rc<Work>) -> Self {
        Self { work, caches: true, ..Self::default() }
    }

    /// Adds a file's rules. Skips lines above the limit and, as git does, those that are not globs.
    pub fn add(&mut self, dir: &[u8], content: &[u8]) {
        let lines = content.split(|byte| *byte == b'\n');
        let rules = lines.filter_map(|line| rule(std::str::from_utf8(line).ok()?));
        let rules: Vec<Rule> = rules.take(TREE_IGNORE_RULES_MAX - self.count).collect();
        self.count += rules.len();
        self.rules.insert(dir.to_vec(), rules);
        self.shown.take();
    }

    /// Whether matching has used up a call's work, so that it is unknown which files are ignored.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.work.is_done()
    }

    /// The outermost ignored directory of `path`, or `path` itself.
    #[must_use]
    pub fn outermost<'a>(&self, path: &'a [u8], is_directory: bool) -> Option<&'a [u8]> {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let mut shown = self.shown.borrow_mut();
        for end in ends.chain([path.len()]) {
            let place = path.get(..end)?;
            let is_directory = is_directory || end < path.len();
            if is_directory && shown.as_deref().is_some_and(|shown| is_at_or_below(shown, place)) {
                continue;
            }
            if place == b".git" || place.ends_with(b"/.git") || self.names(place, is_directory) {
                return Some(place);
            }
            if is_directory {
                *shown = Some(place.to_vec());
            }
        }
        None
    }

    fn names(&self, path: &[u8], is_directory: bool) -> bool {
        let parents = path.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
        let parents = parents.map(|(end, _)| (end, end + 1)).chain([(0, 0)]);
        for (end, from) in parents {
            let Some((dir, below)) = path.get(..end).zip(path.get(from..)) else { continue };
            let Some(rules) = self.rules.get(dir) else { continue };
            let decides = |rule: &&Rule| {
                !(rule.only_directories && !is_directory || self.is_exhausted())
                    && rule.glob.matches(below, &self.work)
            };
            if let Some(rule) = rules.iter().rev().find(decides) {
                return !rule.includes;
            }
        }
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        self.caches && is_directory && CACHES.contains(&name)
    }
}

fn rule(line: &str) -> Option<Rule> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let trimmed = line.trim_end_matches(' ');
    // A backslash keeps the space that follows it.
    let line = if trimmed.ends_with('\\') { line } else { trimmed };
    if line.starts_with('#') {
        return None;
    }
    let (includes, line) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
    let (only_directories, line) =
        line.strip_suffix('/').map_or((false, line), |rest| (true, rest));
    let glob = Glob::of_ignore_file(line)?;
    Some(Rule { glob, only_directories, includes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outermost(ignored: &Ignored, path: &str, is_directory: bool) -> Option<String> {
        let found = ignored.outermost(path.as_bytes(), is_directory)?;
        Some(String::from_utf8(found.to_vec()).unwrap())
    }

    #[test]
    fn the_outermost_ignored_directory_is_named() {
        let mut ignored = Ignored::default();
        ignored.add(b"", b"# comment\nnode_modules/\n*.log\n!keep.log\n/build\r\nlib/*.o\n[a\n\n");
        ignored.add(b"sub", b"/only\nnested/deep\n");
        let is = |path: &str| outermost(&ignored, path, false);
        assert_eq!(is("node_modules/a/b.js").as_deref(), Some("node_modules"));
        assert_eq!(is("x/node_modules/a").as_deref(), Some("x/node_modules"));
        assert_eq!(is("node_modules"), None, "a file of a directory's name");
        assert_eq!(outermost(&ignored, "node_modules", true).as_deref(), Some("node_modules"));
        assert_eq!(is("a/b.log").as_deref(), Some("a/b.log"));
        assert_eq!(is("a/keep.log"), None);
        assert_eq!(is("build/x").as_deref(), Some("build"));
        assert_eq!(is("sub/build/x"), None);
        assert_eq!(is("lib/a.o").as_deref(), Some("lib/a.o"));
        assert_eq!(is("sub/only").as_deref(), Some("sub/only"));
        assert_eq!(is("only"), None);
        assert_eq!(is("sub/nested/deep/x").as_deref(), Some("sub/nested/deep"));
        assert_eq!(is("subway/only"), None);
    }

    #[test]
    fn caches_are_ignored_unless_a_rule_includes_them() {
        let mut ignored = Ignored::counted_by(Rc::default());
        let is = |ignored: &Ignored, path: &str| outermost(ignored, path, false);
        assert_eq!(is(&ignored, "a/__pycache__/b.pyc").as_deref(), Some("a/__pycache__"));
        assert_eq!(is(&ignored, ".venv/bin/python").as_deref(), Some(".venv"));
        assert_eq!(is(&ignored, ".venv"), None, "a file of a cache's name");
        ignored.add(b"", b"!.venv\n");
        assert_eq!(is(&ignored, ".venv/bin/python"), None);
        assert_eq!(is(&Ignored::default(), "__pycache__/b.pyc"), None);
    }

    #[test]
    fn braces_are_what_they_are_to_git() {
        let mut ignored = Ignored::default();
        ignored.add(b"", b"*.{js,ts}\n!!odd\n");
        assert_eq!(outermost(&ignored, "a.js", false), None);
        assert_eq!(outermost(&ignored, "a.{js,ts}", false).as_deref(), Some("a.{js,ts}"));
        assert_eq!(outermost(&ignored, "anything", false), None);
    }

    #[test]
    fn rules_and_their_matching_have_a_bound() {
        let mut ignored = Ignored::default();
        ignored.add(b"", "a\n".repeat(TREE_IGNORE_RULES_MAX - 1).as_bytes());
        ignored.add(b"sub", b"b\nc\n");
        assert_eq!(outermost(&ignored, "sub/b", false).as_deref(), Some("sub/b"));
        assert_eq!(outermost(&ignored, "sub/c", false), None);
        let mut ignored = Ignored::default();
        ignored.add(b"", format!("{}b\n", "*a".repeat(100)).repeat(5_000).as_bytes());
        let is_done = |at: &usize| {
            assert_eq!(outermost(&ignored, &format!("d/{}{at}", "a".repeat(200)), false), None);
            ignored.is_exhausted()
        };
        assert!((0..100).any(|at| is_done(&at)));
    }

    #[test]
    fn git_is_never_shown_in_detail() {
        let ignored = Ignored::default();
        assert_eq!(outermost(&ignored, ".git/objects/aa", false).as_deref(), Some(".git"));
        assert_eq!(
            outermost(&ignored, "vendor/x/.git/HEAD", false).as_deref(),
            Some("vendor/x/.git")
        );
        assert_eq!(outermost(&ignored, "a.git/x", false), None);
        assert_eq!(outermost(&ignored, ".gitignore", false), None);
    }
}
