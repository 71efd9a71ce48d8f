//! Snapshots of a session.

mod delete;
mod delete_across;
mod flatten;
mod imports;
mod layers;
mod list;
mod look;
mod ownership;
mod recover_saves;
mod selectors;
mod take;
mod update;
