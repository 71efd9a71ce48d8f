//! Sessions and their tokens.

mod close;
mod credentials;
mod open;
mod tokens;
