//! Every operation, in files by subject.

pub(crate) mod calls;
pub(crate) mod checkpoints;
pub(crate) mod code_contexts;
pub(crate) mod exec;
pub(crate) mod files;
pub(crate) mod previews;
pub(crate) mod processes;
pub(crate) mod sessions;
pub(crate) mod snapshot_files;
pub(crate) mod snapshots;
pub(crate) mod tokens;
pub(crate) mod trees;
pub(crate) mod turns;
pub(crate) mod upkeep;
pub(crate) mod workspaces;
