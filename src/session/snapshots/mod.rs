//! Take, find, edit and delete snapshots.

pub(crate) mod archives;
pub(crate) mod delete;
pub(crate) mod flatten;
pub(crate) mod lend;
pub(crate) mod list;
pub(crate) mod prune;
pub(crate) mod take;
pub(crate) mod update;
