//! Rules for paths, edits and file types.

pub mod edit;
pub mod glob;
pub mod lines;
pub mod mime;
pub mod path;
pub mod tar;
