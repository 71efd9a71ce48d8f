//! Snapshots and the archives of others: import, export, and backups of Sandbox SDK 1.0.

pub(crate) mod export;
pub(crate) mod import;
