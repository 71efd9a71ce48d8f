//! Differences of texts by lines, and patches.

mod entry;
pub mod lines;
pub mod patch;
pub mod text;
