//! Rules for paths, edits and file types.

pub mod edit;
pub mod mime;
pub mod path;
