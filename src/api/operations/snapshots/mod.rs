//! Snapshots.

#[macro_use]
pub(crate) mod take;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod transfer;
pub(crate) mod update;
