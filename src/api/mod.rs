//! How callers reach the host. Each surface only parses and renders.

pub mod access;
pub mod errors;
pub mod http;
pub(crate) mod log_line;
pub mod mcp;
pub mod objects;
pub mod operation;
pub mod operations;
pub(crate) mod record;
pub mod registry;
pub(crate) mod reply;
pub(crate) mod run;
pub mod sandbox;
pub mod schema;
pub(crate) mod start;
pub mod tools;
pub mod words;
