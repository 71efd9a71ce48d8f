//! Searches the lines of a text.

use crate::domain::limits::{GREP_LINE_MAX_CHARS, GREP_WORK_MAX, PATTERN_MAX_BYTES};
use crate::domain::{Error, Result};
use regex_lite::{Regex, RegexBuilder};
use std::cell::Cell;
use std::collections::VecDeque;

/// Largest compiled expression, in bytes. A byte of text may cost as many steps as it has bytes.
const PATTERN_MAX_COMPILED_BYTES: usize = 64 * 1024;
const PATTERN_MIN_COMPILED_BYTES: usize = 256;

/// A checked pattern that matches within one line.
pub struct LinePattern {
    matcher: Matcher,
    /// The most steps that a byte of text can cost.
    cost: u64,
}

enum Matcher {
    Text(String),
    Expression(Regex),
}

impl LinePattern {
    /// Parses a regular expression, or plain text if `fixed`.
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
        if fixed && !ignore_case {
            return Ok(Self { matcher: Matcher::Text(pattern.to_owned()), cost: 1 });
        }
        let escaped = if fixed { regex_lite::escape(pattern) } else { pattern.to_owned() };
        // The crate only tells whether an expression fits a limit, not its size.
        let mut limit = PATTERN_MIN_COMPILED_BYTES;
        loop {
            let mut builder = RegexBuilder::new(&escaped);
            match builder.case_insensitive(ignore_case).size_limit(limit).build() {
                Ok(expression) => {
                    let matcher = Matcher::Expression(expression);
                    return Ok(Self { matcher, cost: limit as u64 });
                }
                Err(_) if limit < PATTERN_MAX_COMPILED_BYTES => limit *= 2,
                Err(error) => {
                    return Err(Error::invalid("pattern", format!("is not usable: {error}")));
                }
            }
        }
    }

    fn matches(&self, line: &[u8]) -> bool {
        let line = String::from_utf8_lossy(line);
        match &self.matcher {
            Matcher::Text(text) => line.contains(text),
            Matcher::Expression(expression) => expression.is_match(&line),
        }
    }
}

/// How much searching a call has done, so that it can be limited.
#[derive(Debug, Default)]
pub struct SearchWork {
    steps: Cell<u64>,
    /// The line before which a file's search ended early.
    ended: Cell<Option<u64>>,
    /// Lines too long for the pattern.
    passed: Cell<u64>,
}

impl SearchWork {
    /// Whether the call has done as much work as it may.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.steps.get() >= GREP_WORK_MAX
    }

    /// Takes the line before which a file's search ended early.
    #[must_use]
    pub fn take_ended(&self) -> Option<u64> {
        self.ended.take()
    }

    /// Takes the number of lines that were too long to search.
    #[must_use]
    pub fn take_passed(&self) -> u64 {
        self.passed.take()
    }
}

/// A matching line, or a context line near one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownLine {
    /// Line number, from 1.
    pub number: u64,
    /// The line without its end, possibly cut. Bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Whether `text` is only the beginning.
    pub cut: bool,
    /// Whether the line matches.
    pub matches: bool,
}

/// Finds matches after line `seen`, with `context` lines around each, until `work` is done.
pub fn lines_around<'a>(
    pattern: &'a LinePattern,
    text: &'a [u8],
    context: usize,
    seen: u64,
    work: &'a SearchWork,
) -> impl Iterator<Item = ShownLine> + 'a {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let mut lines = (1..).zip(text.split(|byte| *byte == b'\n'));
    let mut before: VecDeque<(u64, &[u8])> = VecDeque::new();
    let mut ready: VecDeque<ShownLine> = VecDeque::new();
    let mut after = 0;
    // A page must get past the lines whose context it shows, whatever they cost.
    let most = GREP_WORK_MAX / (context as u64 + 2);
    let lines = std::iter::from_fn(move || {
        loop {
            if let Some(line) = ready.pop_front() {
                return Some(line);
            }
            let (number, line) = lines.next()?;
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let cost = pattern.cost.saturating_mul(line.len() as u64 + 1);
            // Lines that were searched before are searched again only for context.
            let is_near = number + context as u64 > seen;
            if is_near && cost > most {
                work.passed.set(work.passed.get() + u64::from(number > seen));
            } else if is_near {
                if number > seen && work.is_done() {
                    work.ended.set(Some(number));
                    return None;
                }
                work.steps.set(work.steps.get().saturating_add(cost));
            }
            if is_near && cost <= most && pattern.matches(line) {
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
    });
    lines.filter(move |line| line.number > seen)
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
        lines_around(&pattern, text, context, 0, &SearchWork::default())
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
        let work = SearchWork::default();
        let line = lines_around(&pattern, &text, 0, 0, &work).next().unwrap();
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

    #[test]
    fn a_costly_expression_searches_less_at_once() {
        let text = format!("{}\n", "a".repeat(1_000)).repeat(500);
        let pages = |pattern: &str, context: usize| {
            let pattern = LinePattern::parse(pattern, false, false).unwrap();
            let mut seen = 0;
            for page in 1.. {
                let work = SearchWork::default();
                assert_eq!(
                    lines_around(&pattern, text.as_bytes(), context, seen, &work).count(),
                    0
                );
                assert_eq!(work.take_passed(), 0);
                match work.take_ended() {
                    Some(line) => seen = line - 1,
                    None => return page,
                }
            }
            0
        };
        assert_eq!(pages("b", 0), 1);
        // This pattern costs little here: it waits for a b.
        let costly = pages("b.{0,650}\\x01", 0);
        assert!((5..50).contains(&costly), "{costly} pages");
        assert!(pages("b.{0,650}\\x01", 5) > costly);
    }

    #[test]
    fn a_line_that_is_too_long_for_an_expression_is_passed_over() {
        let text = [b"a".repeat(2_000_000), b"\nb\x01".to_vec()].concat();
        let pattern = LinePattern::parse("b.{0,650}\\x01", false, false).unwrap();
        let work = SearchWork::default();
        let found: Vec<_> = lines_around(&pattern, &text, 0, 0, &work).collect();
        assert_eq!((found.len(), found[0].number, work.take_passed()), (1, 2, 1));
        let simple = LinePattern::parse("\u{1}", true, false).unwrap();
        assert_eq!(lines_around(&simple, &text, 0, 0, &SearchWork::default()).count(), 1);
    }
}
