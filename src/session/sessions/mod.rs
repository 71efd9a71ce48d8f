//! The session itself: open, describe, close, its events, tokens and usage.

pub(crate) mod close;
pub(crate) mod delete;
pub(crate) mod describe;
pub(crate) mod events;
pub(crate) mod lineage;
pub(crate) mod open;
pub(crate) mod previews;
pub(crate) mod tokens;
pub(crate) mod usage;
pub(crate) mod warm;
