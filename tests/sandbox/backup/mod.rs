//! Backups and restores.

mod break_points;
mod create;
mod flatten;
mod layers;
mod machine;
mod restore;
