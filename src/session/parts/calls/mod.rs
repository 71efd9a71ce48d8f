//! Calls in progress and recorded calls: cancel, record and recover them.

pub(crate) mod recorded;
pub(crate) mod recover;
