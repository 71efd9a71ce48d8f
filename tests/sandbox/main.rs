//! The sandbox's use cases over fakes, and real SQLite.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

#[path = "../support/mod.rs"]
mod support;

mod backups;
mod break_points;
mod commands;
mod lifecycle;
mod streams;
mod world;
