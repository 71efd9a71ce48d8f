//! Compare trees of files: snapshots in the bucket, and workspaces as they are now.

pub(crate) mod changes_tar;
pub(crate) mod compare;
pub(crate) mod contents;
pub(crate) mod diff;
pub(crate) mod differences;
pub(crate) mod live;
pub(crate) mod merge;
pub(crate) mod promoted;
pub(crate) mod sides;
pub(crate) mod tree;

use crate::session::parts::{Archives, Containers, Context, WorkspaceLocks};

parts!(Trees {
    context: Context,
    locks: WorkspaceLocks,
    containers: Containers,
    archives: Archives,
});
