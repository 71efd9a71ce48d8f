//! Commands.

mod port;
mod run;
mod stream;
mod terminal;
