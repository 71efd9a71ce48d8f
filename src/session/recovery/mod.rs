//! What the alarm does: recover after crashes, and upkeep.

pub(crate) mod agenda;
pub(crate) mod crash;
pub(crate) mod rebuild;
pub(crate) mod retention;
pub(crate) mod sweep;
