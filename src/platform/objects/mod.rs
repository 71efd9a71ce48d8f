//! The Durable Objects' shells, and how they answer the Worker and each other.

#[cfg(feature = "worker-exports")]
pub(crate) mod agent_host;
pub(crate) mod answer;
#[cfg(feature = "worker-exports")]
pub(crate) mod directory;
pub(crate) mod panic;
#[cfg(feature = "worker-exports")]
pub(crate) mod pools;
#[cfg(feature = "worker-exports")]
pub(crate) mod sandbox;
#[cfg(feature = "worker-exports")]
pub(crate) mod starts;
