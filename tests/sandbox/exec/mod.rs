//! Commands.

mod run;
mod stream;
