//! Three-way merges: of trees by paths, of texts by lines.
//!
//! Merges of texts give the same results as `git merge-file`, including conflicts and markers.

mod chunks;
pub mod text;
pub mod tree;
