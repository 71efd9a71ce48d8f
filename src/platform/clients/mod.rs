//! Ports that call other Durable Objects.

pub(crate) mod directory;
pub(crate) mod hosts;
pub(crate) mod sandbox;
pub(crate) mod sessions;
pub(crate) mod starts;
