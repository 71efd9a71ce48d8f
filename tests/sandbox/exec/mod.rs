//! Commands.

mod run;
mod stream;
mod terminal;
