//! Commands and code.

mod code;
mod code_contexts;
mod processes;
mod stream;
