//! Merges two texts that have a common base.

use super::chunks::{Chunk, Side, chunks};
use super::render;
use crate::domain::diff::lines::Lines;
use std::ops::Range;

/// Maximum number of conflicts that are listed. All conflicts are counted.
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
    /// Write both sides' lines, between git's markers.
    Markers,
}

/// The names of the sides in markers. One line each.
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
    /// The merged text. None if it has conflicts that are only reported.
    pub content: Option<Vec<u8>>,
    /// The number of conflicts, whether or not a side was taken.
    pub conflicts: usize,
    /// The first [`REGIONS_MAX`] conflicts.
    pub regions: Vec<Region>,
}

/// Merges the changes that `ours` and `theirs` made to `base`. If both sides added the text, the
/// base is empty. The texts should not be [binary](crate::domain::diff::text::is_binary).
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
        .then(|| render::render(&base, &ours, &theirs, &chunks, on_conflict, labels));
    Merged { content, conflicts, regions }
}
