//! Decides which side's lines a merge takes, and where the conflicts are.

use super::text::Region;
use crate::domain::diff::lines::{Change, Lines, Placement, changes, changes_within};
use std::iter::Peekable;
use std::ops::Range;
use std::vec;

/// Conflicts with at most this many lines between them become one.
const JOINED_MAX_LINES: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Ours,
    Theirs,
    Conflict,
}

/// Lines that at least one side changed. Between chunks, both sides are equal, and ours is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunk {
    pub take: Side,
    pub base: Range<usize>,
    pub ours: Range<usize>,
    pub theirs: Range<usize>,
}

impl Chunk {
    pub fn region(&self) -> Region {
        Region { base: self.base.clone(), ours: self.ours.clone(), theirs: self.theirs.clone() }
    }

    fn extend(&mut self, next: &Self) {
        self.base.end = next.base.end;
        self.ours.end = next.ours.end;
        self.theirs.end = next.theirs.end;
    }
}

pub(super) fn chunks(base: &Lines<'_>, ours: &Lines<'_>, theirs: &Lines<'_>) -> Vec<Chunk> {
    let chunks = align(base, ours, theirs);
    let chunks = chunks.into_iter().flat_map(|chunk| refine(ours, theirs, chunk));
    join(ours, chunks)
}

/// The remaining changes of one side.
struct Changes {
    left: Peekable<vec::IntoIter<Change>>,
    /// How many more lines the side has than the base, before the next change.
    ahead: isize,
}

impl Changes {
    fn new(base: &Lines<'_>, side: &Lines<'_>) -> Self {
        Self { left: changes(base, side, Placement::Down).into_iter().peekable(), ahead: 0 }
    }

    fn next(&mut self) {
        if let Some(change) = self.left.next() {
            self.ahead = change.after.end.cast_signed() - change.before.end.cast_signed();
        }
    }

    /// The side's range for unchanged base lines.
    fn unchanged(&self, base: &Range<usize>) -> Range<usize> {
        base.start.saturating_add_signed(self.ahead)..base.end.saturating_add_signed(self.ahead)
    }
}

/// Changes that touch each other conflict, unless they are equal.
fn align(base: &Lines<'_>, ours: &Lines<'_>, theirs: &Lines<'_>) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let (mut our, mut their) = (Changes::new(base, ours), Changes::new(base, theirs));
    loop {
        match (our.left.peek().cloned(), their.left.peek().cloned()) {
            (None, None) => return chunks,
            (Some(o), t) if t.as_ref().is_none_or(|t| o.before.end < t.before.start) => {
                let theirs = their.unchanged(&o.before);
                let chunk = Chunk { take: Side::Ours, base: o.before, ours: o.after, theirs };
                append(&mut chunks, chunk);
                our.next();
            }
            (o, Some(t)) if o.as_ref().is_none_or(|o| t.before.end < o.before.start) => {
                let ours = our.unchanged(&t.before);
                let chunk = Chunk { take: Side::Theirs, base: t.before, ours, theirs: t.after };
                append(&mut chunks, chunk);
                their.next();
            }
            (Some(o), Some(t)) => {
                let same =
                    o.before == t.before && ours.equal(o.after.clone(), theirs, t.after.clone());
                if !same {
                    append(&mut chunks, conflict(&o, &t));
                }
                if o.before.end >= t.before.end {
                    their.next();
                }
                if t.before.end >= o.before.end {
                    our.next();
                }
            }
            // One of the guards above always holds.
            _ => return chunks,
        }
    }
}

/// Widens both changes to the base lines of either.
fn conflict(our: &Change, their: &Change) -> Chunk {
    let start = our.before.start.min(their.before.start);
    let end = our.before.end.max(their.before.end);
    let widened = |change: &Change| {
        let before = change.before.start - start;
        change.after.start.saturating_sub(before)..change.after.end + (end - change.before.end)
    };
    Chunk { take: Side::Conflict, base: start..end, ours: widened(our), theirs: widened(their) }
}

/// Joins the chunk with the last one if they touch.
fn append(chunks: &mut Vec<Chunk>, chunk: Chunk) {
    match chunks.last_mut() {
        Some(last)
            if chunk.ours.start <= last.ours.end || chunk.theirs.start <= last.theirs.end =>
        {
            if last.take != chunk.take {
                last.take = Side::Conflict;
            }
            last.extend(&chunk);
        }
        _ => chunks.push(chunk),
    }
}

/// Removes lines that both sides have from a conflict.
fn refine(ours: &Lines<'_>, theirs: &Lines<'_>, chunk: Chunk) -> Vec<Chunk> {
    if chunk.take != Side::Conflict || chunk.ours.is_empty() || chunk.theirs.is_empty() {
        return vec![chunk];
    }
    let changes = changes_within(ours, chunk.ours.clone(), theirs, chunk.theirs.clone());
    let within = |outer: &Range<usize>, inner: Range<usize>| {
        outer.start + inner.start..outer.start + inner.end
    };
    let refined = changes.into_iter().map(|change| Chunk {
        take: Side::Conflict,
        base: chunk.base.clone(),
        ours: within(&chunk.ours, change.before),
        theirs: within(&chunk.theirs, change.after),
    });
    refined.collect()
}

/// Joined, conflicts with only a few lines or no words between them are easier to read.
fn join(ours: &Lines<'_>, chunks: impl Iterator<Item = Chunk>) -> Vec<Chunk> {
    let mut joined: Vec<Chunk> = Vec::new();
    for chunk in chunks {
        match joined.last_mut() {
            Some(last) if last.take == Side::Conflict && chunk.take == Side::Conflict => {
                let between = last.ours.end..chunk.ours.start;
                let short = between.len() <= JOINED_MAX_LINES;
                let has_word = || {
                    ours.range(between)
                        .iter()
                        .any(|line| line.iter().any(u8::is_ascii_alphanumeric))
                };
                if short || !has_word() {
                    last.extend(&chunk);
                } else {
                    joined.push(chunk);
                }
            }
            _ => joined.push(chunk),
        }
    }
    joined
}
