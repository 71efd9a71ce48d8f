//! The session, the operator and the API over fakes, and real SQLite. Folders and files
//! are named as in `src/session`, `src/operator` and `src/api`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

#[path = "../support/mod.rs"]
mod support;

#[path = "../api/mod.rs"]
mod api;
#[path = "../gateway/mod.rs"]
mod gateway;
#[path = "../squashfs/memory.rs"]
mod memory;
#[path = "../operator/mod.rs"]
mod operator;

mod autosave;
mod break_points;
mod calls;
mod catalogue;
mod checkpoints;
mod code_contexts;
mod commands;
mod contracts;
mod exec;
mod files;
mod formats;
mod leases;
mod many;
mod mounts;
mod policy;
mod pools;
mod previews;
mod processes;
mod quotas;
mod rate_limits;
mod recovery;
mod scale;
mod script;
mod services;
mod sessions;
mod snapshots;
mod trees;
mod turns;
mod workspaces;
mod world;
