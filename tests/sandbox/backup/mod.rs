//! Backups and restores.

mod break_points;
mod create;
mod restore;
