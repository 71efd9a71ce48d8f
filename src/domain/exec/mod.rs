//! Rules for commands and code.

pub mod code;
pub mod script;
pub mod shell;
pub mod terminal;
