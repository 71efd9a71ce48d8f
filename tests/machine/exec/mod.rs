//! Commands and code.

mod code;
mod code_contexts;
mod left;
mod processes;
mod stream;
