//! What the two Durable Objects do, over ports.

pub mod host;
mod migrate;
pub mod sandbox;
mod turns;
