//! The rules: data and `now_ms` in, a decision out. No I/O, no clock, no Workers types.

pub mod arguments;
pub mod backoff;
pub mod call;
pub mod diff;
pub mod egress;
pub mod error;
pub mod exec;
pub mod files;
pub mod ids;
pub mod json;
pub mod limits;
pub mod lineage;
pub mod merge;
pub mod metrics;
pub mod page;
#[cfg(schemas)]
pub mod patterns;
pub mod pools;
pub mod s3;
#[cfg(schemas)]
pub mod schemas;
pub mod session;
pub mod snapshot;
pub mod starts;
pub mod text;
pub mod time;
pub mod tree;
pub mod workspace;

/// Whether a count is zero, for fields that are left out then.
pub(crate) const fn is_zero(count: &u64) -> bool {
    *count == 0
}
