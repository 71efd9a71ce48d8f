//! How callers reach the host: each surface parses and renders, nothing more.

pub mod access;
pub mod directory;
pub mod errors;
pub mod http;
pub(crate) mod log_line;
pub mod mcp;
pub mod operation;
pub mod operations;
pub mod operator;
pub mod pools;
pub(crate) mod record;
pub(crate) mod reply;
pub(crate) mod run;
pub mod sandbox;
pub mod schema;
pub(crate) mod start;
pub mod starts;
pub mod tools;
pub mod words;
