//! Commands, code and scripts.

pub(crate) mod run;
pub(crate) mod script;
pub(crate) mod terminal;
