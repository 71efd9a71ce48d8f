//! Rules for commands and code.

pub mod code;
pub mod recorded;
pub mod shell;
pub mod terminal;
