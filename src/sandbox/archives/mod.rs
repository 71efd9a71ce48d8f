//! Foreign archives: makes backups of them, and packs a backup as one.

pub(crate) mod import;
pub(crate) mod pack;
