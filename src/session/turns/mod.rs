//! Turns of the conversation, one verb per file.

pub(crate) mod checkpoint;
pub(crate) mod earlier;
pub(crate) mod timeline;
