//! Backups and restores.

mod break_points;
mod create;
mod layers;
mod restore;
