//! Starts, configures and destroys the container.

pub(crate) mod configure;
pub(crate) mod destroy;
pub(crate) mod egress;
pub(crate) mod ensure_running;
pub(crate) mod mounts;
pub(crate) mod permits;
pub(crate) mod run;
