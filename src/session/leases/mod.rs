//! Lend snapshots to other sessions, and borrow theirs.

pub(crate) mod borrow;
pub(crate) mod lend;
