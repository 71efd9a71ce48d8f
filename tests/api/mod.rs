//! The API over a session of fakes.

mod access;
mod mcp;
