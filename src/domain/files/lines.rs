//! Search the lines of a text.

use crate::domain::error::{Error, Result};
use crate::domain::limits::{GREP_LINE_MAX_CHARS, PATTERN_MAX_BYTES};
use regex_lite::{Regex, RegexBuilder};
use std::collections::VecDeque;

/// Largest compiled expression, in bytes. Each byte of text may cost as many steps
/// as the expression has.
const PATTERN_MAX_COMPILED_BYTES: usize = 64 * 1024;

/// A checked pattern that matches within one line.
pub struct LinePattern(Regex);

impl LinePattern {
    /// Parses a regular expression, or with `fixed` takes the text itself.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` about `pattern`.
    pub fn parse(pattern: &str, fixed: bool, ignore_case: bool) -> Result<Self> {
        if pattern.is_empty() || pattern.contains(['\0', '\n']) {
            return Err(Error::invalid("pattern", "must not be empty or contain line ends or NUL"));
        }
        if pattern.len() > PATTERN_MAX_BYTES {
            return Err(Error::invalid(
                "pattern",
                format!("is longer than {PATTERN_MAX_BYTES} bytes"),
            ));
        }
        let escaped = if fixed { regex_lite::escape(pattern) } else { pattern.to_owned() };
        RegexBuilder::new(&escaped)
            .case_insensitive(ignore_case)
            .size_limit(PATTERN_MAX_COMPILED_BYTES)
            .build()
            .map(Self)
            .map_err(|error| Error::invalid("pattern", format!("is not usable: {error}")))
    }
}

/// A line that matches, or is near one that does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownLine {
    /// From 1.
    pub number: u64,
    /// The line without its end, or its beginning. Bytes that are not UTF-8 are
    /// replaced.
    pub text: String,
    /// Whether `text` is only the beginning.
    pub cut: bool,
    /// Whether it matches.
    pub matches: bool,
}

/// Finds the lines that match, with `context` lines before and after each.
pub fn lines_around<'a>(
    pattern: &'a LinePattern,
    text: &'a [u8],
    context: usize,
) -> impl Iterator<Item = ShownLine> + 'a {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let mut lines = (1..).zip(text.split(|byte| *byte == b'\n'));
    let mut before: VecDeque<(u64, &[u8])> = VecDeque::new();
    let mut ready: VecDeque<ShownLine> = VecDeque::new();
    let mut after = 0;
    std::iter::from_fn(move || {
        loop {
            if let Some(line) = ready.pop_front() {
                return Some(line);
            }
            let (number, line) = lines.next()?;
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if pattern.0.is_match(&String::from_utf8_lossy(line)) {
                ready.extend(before.drain(..).map(|(number, line)| shown(number, line, false)));
                ready.push_back(shown(number, line, true));
                after = context;
            } else if after > 0 {
                ready.push_back(shown(number, line, false));
                after -= 1;
            } else if context > 0 {
                if before.len() == context {
                    before.pop_front();
                }
                before.push_back((number, line));
            }
        }
    })
}

fn shown(number: u64, line: &[u8], matches: bool) -> ShownLine {
    let whole = String::from_utf8_lossy(line);
    let text: String = whole.chars().take(GREP_LINE_MAX_CHARS).collect();
    let cut = text.len() < whole.len();
    ShownLine { number, text, cut, matches }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, text: &[u8], context: usize) -> Vec<(u64, String, bool)> {
        let pattern = LinePattern::parse(pattern, false, false).unwrap();
        lines_around(&pattern, text, context)
            .map(|line| (line.number, line.text, line.matches))
            .collect()
    }

    fn line(number: u64, text: &str, matches: bool) -> (u64, String, bool) {
        (number, text.to_owned(), matches)
    }

    #[test]
    fn lines_near_a_match_are_shown_once() {
        let text = b"a\nb\nfn c\nd\nfn e\nf\ng\nh\n";
        assert_eq!(found("^fn", text, 0), [line(3, "fn c", true), line(5, "fn e", true)]);
        assert_eq!(
            found("^fn", text, 1),
            [
                line(2, "b", false),
                line(3, "fn c", true),
                line(4, "d", false),
                line(5, "fn e", true),
                line(6, "f", false)
            ]
        );
        assert_eq!(found("e$", b"one\r\ntwo", 0), [line(1, "one", true)]);
        assert_eq!(found("^$", b"", 0), [line(1, "", true)]);
    }

    #[test]
    fn a_long_line_is_cut_and_broken_bytes_are_replaced() {
        let text = [b"\xff".as_slice(), &b"x".repeat(GREP_LINE_MAX_CHARS)].concat();
        let pattern = LinePattern::parse("x", true, false).unwrap();
        let line = lines_around(&pattern, &text, 0).next().unwrap();
        assert!(line.cut && line.text.starts_with("\u{fffd}x"));
        assert_eq!(line.text.chars().count(), GREP_LINE_MAX_CHARS);
    }

    #[test]
    fn patterns_that_cost_much_are_refused() {
        for bad in ["", "a\nb", "(", "(a{1000}){1000}", &"a".repeat(PATTERN_MAX_BYTES + 1)] {
            let error = LinePattern::parse(bad, false, false).err().unwrap();
            assert!(error.message.starts_with("pattern"), "{}", error.message);
        }
        assert!(LinePattern::parse("(", true, false).is_ok());
    }
}
