//! Merges two texts that have a common base.

use super::chunks::{Chunk, Side, chunks};
use crate::domain::diff::lines::Lines;
use std::ops::Range;

/// How many conflicts are listed. All are counted.
pub const REGIONS_MAX: usize = 100;

/// How to handle lines that both sides changed differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnConflict {
    /// Report the conflict. The merge then has no content.
    Report,
    /// Take our lines.
    Ours,
    /// Take their lines.
    Theirs,
    /// Write both sides between git's markers.
    Markers,
}

/// The sides' names in markers. One line each.
#[derive(Debug, Clone, Copy)]
pub struct Labels<'a> {
    /// Our side.
    pub ours: &'a str,
    /// Their side.
    pub theirs: &'a str,
}

/// The lines of a conflict in each text, from 0. A range may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Lines of the base. Neighbouring conflicts share them.
    pub base: Range<usize>,
    /// Our lines.
    pub ours: Range<usize>,
    /// Their lines.
    pub theirs: Range<usize>,
}

/// A merge of two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// None if there are conflicts that are only reported.
    pub content: Option<Vec<u8>>,
    /// The number of conflicts, whether or not a side was taken.
    pub conflicts: usize,
    /// The first [`REGIONS_MAX`] conflicts.
    pub regions: Vec<Region>,
}

/// Merges the changes of `ours` and `theirs` to `base`, which is empty if both added the text. The
/// texts should not be [binary](crate::domain::diff::text::is_binary).
#[must_use]
pub fn merge(
    base: &[u8],
    ours: &[u8],
    theirs: &[u8],
    on_conflict: OnConflict,
    labels: Labels<'_>,
) -> Merged {
    let [base, ours, theirs] = Lines::split([base, ours, theirs]);
    let chunks = chunks(&base, &ours, &theirs);
    let conflicts = chunks.iter().filter(|chunk| chunk.take == Side::Conflict);
    let regions = conflicts.clone().take(REGIONS_MAX).map(Chunk::region).collect();
    let conflicts = conflicts.count();
    let content = (conflicts == 0 || on_conflict != OnConflict::Report)
        .then(|| render(&base, &ours, &theirs, &chunks, on_conflict, labels));
    Merged { content, conflicts, regions }
}

/// As in git.
const MARKER_CHARS: usize = 7;

/// With [`OnConflict::Report`], there must be no conflicts.
pub(super) fn render(
    base: &Lines<'_>,
    ours: &Lines<'_>,
    theirs: &Lines<'_>,
    chunks: &[Chunk],
    on_conflict: OnConflict,
    labels: Labels<'_>,
) -> Vec<u8> {
    let mut text = Vec::new();
    let mut at = 0;
    for chunk in chunks {
        copy(&mut text, ours, at..chunk.ours.start);
        match (chunk.take, on_conflict) {
            (Side::Ours, _) | (Side::Conflict, OnConflict::Report | OnConflict::Ours) => {
                copy(&mut text, ours, chunk.ours.clone());
            }
            (Side::Theirs, _) | (Side::Conflict, OnConflict::Theirs) => {
                copy(&mut text, theirs, chunk.theirs.clone());
            }
            (Side::Conflict, OnConflict::Markers) => {
                let end: &[u8] =
                    if ends_in_crlf(base, ours, theirs, chunk) { b"\r\n" } else { b"\n" };
                marker(&mut text, b'<', labels.ours, end);
                copy_ended(&mut text, ours, chunk.ours.clone(), end);
                marker(&mut text, b'=', "", end);
                copy_ended(&mut text, theirs, chunk.theirs.clone(), end);
                marker(&mut text, b'>', labels.theirs, end);
            }
        }
        at = chunk.ours.end;
    }
    copy(&mut text, ours, at..ours.len());
    text
}

fn copy(text: &mut Vec<u8>, lines: &Lines<'_>, range: Range<usize>) {
    for line in lines.range(range) {
        text.extend_from_slice(line);
    }
}

/// Also completes the last line if it has no line end.
fn copy_ended(text: &mut Vec<u8>, lines: &Lines<'_>, range: Range<usize>, end: &[u8]) {
    let last = lines.range(range.clone()).last();
    copy(text, lines, range);
    if last.is_some_and(|line| !line.ends_with(b"\n")) {
        text.extend_from_slice(end);
    }
}

fn marker(text: &mut Vec<u8>, character: u8, label: &str, end: &[u8]) {
    text.resize(text.len() + MARKER_CHARS, character);
    if !label.is_empty() {
        text.push(b' ');
        text.extend_from_slice(label.as_bytes());
    }
    text.extend_from_slice(end);
}

/// Markers end in CRLF if the base's first line does, and no line before the conflict differs.
fn ends_in_crlf(base: &Lines<'_>, ours: &Lines<'_>, theirs: &Lines<'_>, chunk: &Chunk) -> bool {
    let may_be =
        |side, range: &Range<usize>| crlf(side, range.start.saturating_sub(1)) != Some(false);
    crlf(base, 0) == Some(true) && may_be(ours, &chunk.ours) && may_be(theirs, &chunk.theirs)
}

/// A last line without a line end counts like the line before it.
fn crlf(lines: &Lines<'_>, at: usize) -> Option<bool> {
    let ended = |at: usize| lines.get(at).filter(|line| line.ends_with(b"\n"));
    let line = ended(at).or_else(|| ended(at.checked_sub(1)?))?;
    Some(line.ends_with(b"\r\n"))
}
