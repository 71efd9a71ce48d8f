//! Workspaces.

pub(crate) mod list;
pub(crate) mod make;
pub(crate) mod pause;
pub(crate) mod rewind;
