//! Backups and restores.

mod break_points;
mod commands;
mod create;
mod flatten;
mod layers;
mod machine;
mod restore;
