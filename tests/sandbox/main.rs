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

mod backup;
mod exec;
mod files;
mod machine;
mod starts;
mod watch;
mod world;
