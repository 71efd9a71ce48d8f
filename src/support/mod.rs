//! Helpers that several layers share.

pub mod backup_objects;
pub mod budget;
pub(crate) mod event_log;
pub(crate) mod fifo_mutex;
pub(crate) mod schema_version;
