//! The parts of a sandbox. Each owns some state of the object, and holds the parts that it uses.
//! They know no verb.

pub(crate) mod active_streams;
pub(crate) mod answering;
pub(crate) mod backups;
pub(crate) mod container;
pub(crate) mod context;
pub(crate) mod file_scripts;
pub(crate) mod given_up;
pub(crate) mod refused_hosts;
pub(crate) mod terminals;
pub(crate) mod watches;
