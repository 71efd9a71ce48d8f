//! Differences of texts by lines, and patches.

mod binary;
mod entry;
pub mod lines;
pub mod patch;
pub mod path;
pub mod text;
