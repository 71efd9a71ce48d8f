//! The Durable Objects' shells and their shared code.

#[cfg(feature = "worker-exports")]
pub(crate) mod agent_host;
pub(crate) mod alarm;
#[cfg(feature = "worker-exports")]
pub(crate) mod directory;
pub(crate) mod messages;
pub(crate) mod panic;
#[cfg(feature = "worker-exports")]
pub(crate) mod pools;
#[cfg(feature = "worker-exports")]
pub(crate) mod sandbox;
#[cfg(feature = "worker-exports")]
pub(crate) mod starts;
