//! Rules for commands and code.

pub mod code;
pub mod recorded;
pub mod script;
pub mod shell;
pub mod terminal;
