//! Commands and code.

mod code;
mod code_contexts;
mod goes_on;
mod left;
mod processes;
mod stream;
