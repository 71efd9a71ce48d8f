//! Run commands and code in a workspace, and scripts beside it.

pub(crate) mod run;
pub(crate) mod run_code;
pub(crate) mod script;
pub(crate) mod terminal;
