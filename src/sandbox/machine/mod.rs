//! Start, configure and destroy the container.

pub(crate) mod configure;
pub(crate) mod destroy;
pub(crate) mod ensure_running;
