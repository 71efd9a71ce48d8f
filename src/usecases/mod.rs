//! What the two Durable Objects do, over ports.

pub mod host;
pub mod sandbox;
