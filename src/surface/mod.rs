//! How callers reach the host: each surface parses and renders, nothing more.

pub mod access;
pub mod directory;
pub mod http;
pub mod mcp;
pub mod operation;
pub mod operator;
pub mod remote;
pub mod sandbox;
