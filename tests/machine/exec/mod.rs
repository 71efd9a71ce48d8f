//! Commands and code.

mod code;
mod processes;
mod stream;
