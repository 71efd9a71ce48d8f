//! Sessions and their tokens.

mod close;
mod open;
mod tokens;
