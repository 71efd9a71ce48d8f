//! The host's use cases over fakes, and real SQLite.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

#[path = "../support/mod.rs"]
mod support;

mod access;
mod alarms;
mod break_points;
mod claims;
mod claims_at_once;
mod claims_cost;
mod contracts;
mod crossing;
mod deployment;
mod files;
mod following;
mod forking;
mod formats;
mod heads;
mod idling;
mod layers;
mod lifecycle;
mod mcp;
mod mcp_stream;
mod operations;
mod operations_broken;
mod operator;
mod ownership;
mod pausing;
mod pausing_at_once;
mod pausing_broken;
mod policy;
mod pruning;
mod rates;
mod rebuilding;
mod retention;
mod retention_oracle;
mod retiring;
mod rewind;
mod rewind_broken;
mod saving;
mod scale;
mod tokens;
mod updates;
mod upkeep;
mod waking;
mod world;
