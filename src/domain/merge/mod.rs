//! Three-way merges of texts, by lines.
//!
//! Agrees with `git merge-file`, conflicts and markers included.

mod chunks;
mod render;
pub mod text;
