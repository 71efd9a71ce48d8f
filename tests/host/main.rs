//! The host's use cases over fakes, and real SQLite.

#[path = "../support/mod.rs"]
mod support;

mod break_points;
mod contracts;
mod lifecycle;
mod mcp;
mod mcp_stream;
mod ownership;
mod world;
