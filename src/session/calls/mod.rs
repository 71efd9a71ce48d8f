//! Calls in progress: cancel them, record them, recover them.

pub(crate) mod recorded;
pub(crate) mod recover;
pub(crate) mod running;
