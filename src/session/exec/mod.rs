//! Run commands and code in a workspace.

pub(crate) mod previews;
pub(crate) mod refused;
pub(crate) mod run;
pub(crate) mod run_code;
pub(crate) mod terminal;
