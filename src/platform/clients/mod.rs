//! Ports that call other Durable Objects, and isolates.

pub(crate) mod directory;
pub(crate) mod hosts;
pub(crate) mod isolates;
pub(crate) mod pools;
pub(crate) mod sandbox;
pub(crate) mod sessions;
pub(crate) mod starts;
