//! Rules for commands and code.

pub mod code;
pub mod shell;
pub mod terminal;
