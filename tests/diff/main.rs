//! Our diffs, patches and merges agree with git's, on random texts and trees.
//!
//! `DIFF_CASES` says how many random cases there are, `DIFF_SEED` which is the first.
//! A failure prints the seed of its case.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

mod bounds;
mod git;
mod merge;
mod patch;
mod texts;
mod unified;
