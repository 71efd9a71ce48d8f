//! The session itself: open, describe, close, its events, tokens and usage.

pub(crate) mod close;
pub(crate) mod describe;
pub(crate) mod lineage;
pub(crate) mod open;
pub(crate) mod previews;
pub(crate) mod tokens;
