//! Which snapshots a session keeps. Pure; `usecases` executes it.

mod candidate;
mod policy;

pub use candidate::{Candidate, DeleteReason, Exceeded, KeepReason, Verdict, protection};
pub use policy::{RetentionConfig, RetentionPolicy};
