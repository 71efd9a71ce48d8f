//! Differences of two texts, in git's unified format.

use super::lines::{Change, Lines, Placement, changes};
use std::ops::Range;

/// As in git.
const BINARY_LOOKED_AT_BYTES: usize = 8_000;

/// Maximum number of lines of context before and after a change.
pub const CONTEXT_MAX_LINES: usize = 100;

/// Follows the last line of a text that has no line end.
const NO_END: &[u8] = b"\n\\ No newline at end of file\n";

/// Whether content has a NUL near its start.
#[must_use]
pub fn is_binary(content: &[u8]) -> bool {
    content.iter().take(BINARY_LOOKED_AT_BYTES).any(|byte| *byte == 0)
}

/// The hunks of a unified diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunks {
    /// Whole lines, each with its end. Empty if the texts are equal.
    pub text: Vec<u8>,
    /// Whether lines were left out. Cut hunks can't be applied.
    pub truncated: bool,
}

/// Compares texts by lines, with up to `context` (at most [`CONTEXT_MAX_LINES`]) equal lines around
/// each change, and at most `max_bytes` of output.
#[must_use]
pub fn unified(before: &[u8], after: &[u8], context: usize, max_bytes: usize) -> Hunks {
    let context = context.min(CONTEXT_MAX_LINES);
    let [before, after] = Lines::split([before, after]);
    let changes = changes(&before, &after, Placement::Indentation);
    let mut writer = Writer { hunks: Hunks { text: Vec::new(), truncated: false }, max_bytes };
    let near = |a: &Change, b: &Change| b.before.start - a.before.end <= 2 * context;
    for group in changes.chunk_by(near) {
        let written = writer.hunk(&before, &after, group, context);
        if written.is_none() {
            writer.hunks.truncated = true;
            break;
        }
    }
    writer.hunks
}

/// Methods return `None` if the room is used up.
struct Writer {
    hunks: Hunks,
    max_bytes: usize,
}

impl Writer {
    fn hunk(
        &mut self,
        before: &Lines<'_>,
        after: &Lines<'_>,
        group: &[Change],
        context: usize,
    ) -> Option<()> {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return Some(()) };
        let head = context.min(first.before.start);
        let tail = context.min(before.len() - last.before.end);
        let shown = |first: &Range<usize>, last: &Range<usize>| {
            counts(first.start.saturating_sub(head)..last.end + tail)
        };
        let (old, new) = (shown(&first.before, &last.before), shown(&first.after, &last.after));
        self.push(&[format!("@@ -{old} +{new} @@\n").as_bytes()])?;
        let mut at = first.before.start - head;
        for change in group {
            self.lines(b' ', before, at..change.before.start)?;
            self.lines(b'-', before, change.before.clone())?;
            self.lines(b'+', after, change.after.clone())?;
            at = change.before.end;
        }
        self.lines(b' ', before, at..at + tail)
    }

    fn lines(&mut self, sign: u8, lines: &Lines<'_>, range: Range<usize>) -> Option<()> {
        for line in lines.range(range) {
            let end = if line.ends_with(b"\n") { b"" } else { NO_END };
            self.push(&[&[sign], line, end])?;
        }
        Some(())
    }

    fn push(&mut self, parts: &[&[u8]]) -> Option<()> {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        if self.hunks.text.len() + len > self.max_bytes {
            return None;
        }
        self.hunks.text.extend(parts.iter().copied().flatten());
        Some(())
    }
}

/// A hunk's first line, from 1, and its number of lines unless 1. Without lines: the line before.
fn counts(range: Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.end),
        len => format!("{},{len}", range.start + 1),
    }
}
