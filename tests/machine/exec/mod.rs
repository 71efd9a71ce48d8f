//! Commands and code.

mod code;
mod stream;
