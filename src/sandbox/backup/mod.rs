//! Archives directories to R2, and restores archives.

pub(crate) mod archive;
pub(crate) mod create;
pub(crate) mod fetch;
pub(crate) mod flatten;
pub(crate) mod git_state;
pub(crate) mod machine;
pub(crate) mod manifest;
pub(crate) mod plan;
pub(crate) mod prepare;
pub(crate) mod prepared;
pub(crate) mod recover;
pub(crate) mod repack;
pub(crate) mod restore;
pub(crate) mod stop;
pub(crate) mod stoppable;
pub(crate) mod upload;
