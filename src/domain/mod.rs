//! The rules: data and `now_ms` in, a decision out. No I/O, no clock, no Workers types.

pub mod arguments;
pub mod backup;
pub mod code;
pub mod config;
pub mod deletion;
pub mod edit;
pub mod error;
pub mod event;
pub mod ids;
pub mod json;
pub mod labels;
pub mod layers;
pub mod limits;
pub mod lineage;
pub mod loan;
pub mod mime;
pub mod operation;
pub mod ownership;
pub mod page;
pub mod path;
pub mod prune;
pub mod query;
pub mod rate;
pub mod refs;
pub mod retention;
#[cfg(schemas)]
pub mod schemas;
pub mod scope;
pub mod shell;
pub mod snapshot;
pub mod subject;
pub mod tail;
pub mod token;
pub mod usage;
pub mod utf8;
pub mod workspace;
