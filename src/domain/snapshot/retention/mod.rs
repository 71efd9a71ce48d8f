//! Decides which snapshots a session keeps. Pure: the session executes the decision.

pub(crate) mod candidate;
pub(crate) mod policy;

pub use crate::domain::snapshot::retention::candidate::{
    Candidate, DeleteReason, Exceeded, KeepReason, Verdict, protection,
};
pub use crate::domain::snapshot::retention::policy::{RetentionConfig, RetentionPolicy};
