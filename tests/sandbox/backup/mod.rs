//! Backups and restores.

mod break_points;
mod commands;
mod create;
mod flatten;
mod imports;
mod layers;
mod machine;
mod restore;
mod stop;
