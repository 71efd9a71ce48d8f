//! Which snapshots a session keeps. Pure; `usecases` executes it.

mod plan;
mod policy;

pub use plan::{
    Candidate, Decision, DeleteReason, Exceeded, KeepReason, RetentionPlan, Verdict, plan,
    protection,
};
pub use policy::{RetentionConfig, RetentionPolicy};
