//! What the three Durable Objects do, and the operator across them, over ports.

pub mod budget;
pub mod directory;
mod event_log;
mod fifo_mutex;
pub mod host;
mod migrate;
pub mod operator;
pub mod sandbox;
