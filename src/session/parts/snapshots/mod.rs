//! Snapshots: find, open, save, store and delete them.

pub(crate) mod archives;
pub(crate) mod clean;
pub(crate) mod deleter;
pub(crate) mod earlier;
pub(crate) mod flattener;
pub(crate) mod get;
pub(crate) mod locate;
pub(crate) mod recover_saves;
pub(crate) mod saver;
pub(crate) mod sdk;
pub(crate) mod source;
pub(crate) mod store;
