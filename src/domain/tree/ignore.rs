//! What a comparison only counts: `.git`, and what `.gitignore` files name.

use crate::domain::files::glob::Glob;
use crate::domain::tree::is_at_or_below;

/// The rules of the `.gitignore` files of a tree.
#[derive(Debug, Default)]
pub struct Ignored {
    /// Later ones, and those of deeper directories, count more.
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    /// The directory of its file.
    dir: Vec<u8>,
    glob: Glob,
    only_directories: bool,
    includes: bool,
}

impl Ignored {
    /// Adds the rules of the file in `dir`. Call it for a directory before those in
    /// it. Lines that are no glob are passed over, as git does.
    pub fn add(&mut self, dir: &[u8], content: &[u8]) {
        for line in content.split(|byte| *byte == b'\n') {
            self.rules.extend(std::str::from_utf8(line).ok().and_then(|line| rule(dir, line)));
        }
    }

    /// The outermost directory of `path`, or the path itself, that is not shown in
    /// detail.
    #[must_use]
    pub fn outermost<'a>(&self, path: &'a [u8], is_directory: bool) -> Option<&'a [u8]> {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        for end in ends.chain([path.len()]) {
            let place = path.get(..end)?;
            let is_directory = is_directory || end < path.len();
            if place == b".git" || place.ends_with(b"/.git") || self.names(place, is_directory) {
                return Some(place);
            }
        }
        None
    }

    fn names(&self, path: &[u8], is_directory: bool) -> bool {
        let decides = |rule: &&Rule| {
            if rule.only_directories && !is_directory || !is_at_or_below(path, &rule.dir) {
                return false;
            }
            let below = path.get(rule.dir.len()..).unwrap_or_default();
            rule.glob.matches(below.strip_prefix(b"/").unwrap_or(below))
        };
        self.rules.iter().rev().find(decides).is_some_and(|rule| !rule.includes)
    }
}

fn rule(dir: &[u8], line: &str) -> Option<Rule> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let trimmed = line.trim_end_matches(' ');
    // A backslash keeps the space after it.
    let line = if trimmed.ends_with('\\') { line } else { trimmed };
    if line.starts_with('#') {
        return None;
    }
    let (includes, line) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
    let (only_directories, line) =
        line.strip_suffix('/').map_or((false, line), |rest| (true, rest));
    let glob = Glob::parse("a line of .gitignore", line).ok()?;
    Some(Rule { dir: dir.to_vec(), glob, only_directories, includes })
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
