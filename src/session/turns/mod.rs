//! Turns of the conversation, one verb per file.

pub(crate) mod earlier;
pub(crate) mod save;
pub(crate) mod timeline;
