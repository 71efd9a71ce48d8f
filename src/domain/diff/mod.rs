//! Differences of texts, by lines.

pub mod lines;
pub mod text;
