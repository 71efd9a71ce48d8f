//! Three-way merges: of trees by paths, of texts by lines.
//!
//! Texts agree with `git merge-file`, conflicts and markers included.

mod chunks;
mod render;
pub mod text;
pub mod tree;
