//! Take, find, edit and delete snapshots.

pub(crate) mod archives;
pub(crate) mod clean;
pub(crate) mod delete;
pub(crate) mod delete_across;
pub(crate) mod deleter;
pub(crate) mod earlier;
pub(crate) mod files;
pub(crate) mod flatten;
pub(crate) mod flattener;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod locate;
pub(crate) mod prune;
pub(crate) mod recover_saves;
pub(crate) mod saver;
pub(crate) mod source;
pub(crate) mod store;
pub(crate) mod take;
pub(crate) mod update;
