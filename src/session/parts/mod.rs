//! The parts of a session. Each owns some state of the object, and holds the parts that it uses.
//! They know no verb: verbs stand above them, and borrow the parts that they use.

pub(crate) mod abort;
pub(crate) mod active;
pub(crate) mod agenda;
pub(crate) mod archive_memory;
pub(crate) mod autosave;
pub(crate) mod autosave_state;
pub(crate) mod calls;
pub(crate) mod containers;
pub(crate) mod context;
pub(crate) mod earliest_alarm;
pub(crate) mod in_flight;
pub(crate) mod in_use;
pub(crate) mod leases;
pub(crate) mod loaded_session;
pub(crate) mod locks;
pub(crate) mod quotas;
pub(crate) mod rate_limits;
pub(crate) mod recorder;
pub(crate) mod register;
pub(crate) mod results;
pub(crate) mod schedule;
pub(crate) mod scripts;
pub(crate) mod shown;
pub(crate) mod snapshots;
pub(crate) mod tickets;
pub(crate) mod watchers;
pub(crate) mod workspaces;
