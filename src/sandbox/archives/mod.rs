//! Archives of others: backups made of them, and backups packed as one.

pub(crate) mod import;
pub(crate) mod pack;
