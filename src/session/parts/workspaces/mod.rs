//! Workspaces: make, wake and replace them.

pub(crate) mod maker;
pub(crate) mod ready;
pub(crate) mod replace;
