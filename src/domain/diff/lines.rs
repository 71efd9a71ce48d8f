//! Finds the lines that differ between two texts. The crate has git's heuristics, so our merges
//! agree with git's. It compares numbers; equal lines have equal numbers.

use gix_imara_diff::{Algorithm, Diff, IndentHeuristic, IndentLevel, NoSliderHeuristic, Token};
use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum lines of both texts, without equal lines at either end, that are compared one by one.
/// Beyond it, all count as changed.
const COMPARED_MAX_LINES: usize = 200_000;
/// As in git.
const TAB_COLUMNS: u8 = 8;

/// The lines of a text, each with its end.
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    lines: Vec<&'a [u8]>,
    tokens: Vec<Token>,
}

/// A run of lines, counted from 0, that replaces a run of another text. Either may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Lines of the first text.
    pub before: Range<usize>,
    /// Lines of the second text.
    pub after: Range<usize>,
}

/// Where to place a change that could also be a few lines further up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// As far down as possible, as in a merge.
    Down,
    /// At the indentation that suggests the beginning of a block, as in a diff.
    Indentation,
}

impl<'a> Lines<'a> {
    /// Splits texts that will be compared with each other.
    #[must_use]
    pub fn split<const N: usize>(texts: [&'a [u8]; N]) -> [Self; N] {
        // Colliding lines would slow down a hash map.
        let mut known: BTreeMap<&[u8], Token> = BTreeMap::new();
        texts.map(|text| {
            let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
            let mut token = |line: &&'a [u8]| {
                let next = number(known.len());
                *known.entry(*line).or_insert(next)
            };
            let tokens = lines.iter().map(&mut token).collect();
            Self { lines, tokens }
        })
    }

    /// The number of lines.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether the text has no lines.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The line at an index.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<&'a [u8]> {
        self.lines.get(at).copied()
    }

    /// The lines in a range, as far as they exist.
    #[must_use]
    pub fn range(&self, range: Range<usize>) -> &[&'a [u8]] {
        self.lines.get(range).unwrap_or_default()
    }

    /// Whether the lines of two ranges are equal.
    #[must_use]
    pub fn equal(&self, range: Range<usize>, other: &Self, others: Range<usize>) -> bool {
        self.tokens.get(range) == other.tokens.get(others)
    }
}

/// The changes that turn `before` into `after`, in order. Both come from one [`Lines::split`].
#[must_use]
pub fn changes(before: &Lines<'_>, after: &Lines<'_>, placement: Placement) -> Vec<Change> {
    if let Some(change) = too_long(&before.tokens, &after.tokens) {
        return vec![change];
    }
    let mut diff = Diff::default();
    // Only another algorithm uses the number of tokens.
    diff.compute_with(Algorithm::Myers, &before.tokens, &after.tokens, 0);
    match placement {
        Placement::Down => {
            diff.postprocess_with(&before.tokens, &after.tokens, NoSliderHeuristic);
        }
        Placement::Indentation => {
            let indents = indents(before, after);
            let indent = |token: Token| indents.get(&token.0).copied().unwrap_or_else(blank);
            diff.postprocess_with(&before.tokens, &after.tokens, IndentHeuristic::new(indent));
        }
    }
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    let hunks = diff.hunks();
    hunks.map(|hunk| Change { before: range(hunk.before), after: range(hunk.after) }).collect()
}

/// The changes between parts of two texts. Lines count from the start of each part.
#[must_use]
pub fn changes_within(
    before: &Lines<'_>,
    befores: Range<usize>,
    after: &Lines<'_>,
    afters: Range<usize>,
) -> Vec<Change> {
    // The crate counts up to the highest number. New numbers keep many small parts cheap.
    let mut known = BTreeMap::new();
    let mut part = |lines: &Lines<'_>, range: Range<usize>| {
        let mut token = |token: &Token| {
            let next = number(known.len());
            *known.entry(token.0).or_insert(next)
        };
        let tokens = lines.tokens.get(range).unwrap_or_default();
        Lines { lines: Vec::new(), tokens: tokens.iter().map(&mut token).collect() }
    };
    changes(&part(before, befores), &part(after, afters), Placement::Down)
}

fn number(known: usize) -> Token {
    Token(u32::try_from(known).unwrap_or(u32::MAX))
}

/// One change of all lines that may differ, if the texts are too long to compare.
fn too_long(before: &[Token], after: &[Token]) -> Option<Change> {
    if before.len() + after.len() <= COMPARED_MAX_LINES {
        return None;
    }
    let equal = |pair: &(&Token, &Token)| pair.0 == pair.1;
    let start = before.iter().zip(after).take_while(equal).count();
    let rest = (before.iter().skip(start).rev()).zip(after.iter().skip(start).rev());
    let end = rest.take_while(equal).count();
    let change = Change { before: start..before.len() - end, after: start..after.len() - end };
    (change.before.len() + change.after.len() > COMPARED_MAX_LINES).then_some(change)
}

fn indents(before: &Lines<'_>, after: &Lines<'_>) -> BTreeMap<u32, IndentLevel> {
    let level = |line: &[u8]| IndentLevel::for_ascii_line(line.iter().copied(), TAB_COLUMNS);
    let mut indents = BTreeMap::new();
    for lines in [before, after] {
        for (token, line) in lines.tokens.iter().zip(&lines.lines) {
            indents.entry(token.0).or_insert_with(|| level(line));
        }
    }
    indents
}

fn blank() -> IndentLevel {
    IndentLevel::for_ascii_line([], TAB_COLUMNS)
}
