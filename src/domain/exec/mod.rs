//! Rules for commands and code.

pub mod code;
pub mod recorded;
pub mod shell;
pub mod terminal;

/// The hint about a process that ended because memory ran out.
pub const OUT_OF_MEMORY: &str = "The container ran out of memory, and the kernel ended a process, with exit code 137. Use less memory (free -m), or configure a larger instanceType for new sessions.";
