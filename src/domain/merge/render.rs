//! Writes the merged text.

use super::chunks::{Chunk, Side};
use super::text::{Labels, OnConflict};
use crate::domain::diff::lines::Lines;
use std::ops::Range;

/// Length of a marker, as in git.
const MARKER_CHARS: usize = 7;

/// The merged text. With [`OnConflict::Report`], there must be no conflicts.
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

/// Copies lines, and completes the last line if it has no line end.
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

/// Whether markers end in CRLF: the base's first line does, and the line before the conflict does
/// not end differently on either side.
fn ends_in_crlf(base: &Lines<'_>, ours: &Lines<'_>, theirs: &Lines<'_>, chunk: &Chunk) -> bool {
    let may_be =
        |side, range: &Range<usize>| crlf(side, range.start.saturating_sub(1)) != Some(false);
    crlf(base, 0) == Some(true) && may_be(ours, &chunk.ours) && may_be(theirs, &chunk.theirs)
}

/// Whether a line ends in CRLF. A last line without a line end counts like the line before it.
fn crlf(lines: &Lines<'_>, at: usize) -> Option<bool> {
    let ended = |at: usize| lines.get(at).filter(|line| line.ends_with(b"\n"));
    let line = ended(at).or_else(|| ended(at.checked_sub(1)?))?;
    Some(line.ends_with(b"\r\n"))
}
