//! Compare trees of files: snapshots in the bucket, and workspaces as they are now.

pub(crate) mod ancestors;
pub(crate) mod changed;
pub(crate) mod changes_tar;
pub(crate) mod compare;
pub(crate) mod contents;
pub(crate) mod diff;
pub(crate) mod differences;
pub(crate) mod live;
pub(crate) mod merge;
pub(crate) mod promote;
pub(crate) mod promoted;
pub(crate) mod shown;
pub(crate) mod sides;
pub(crate) mod tree;

use crate::session::containers::Containers;
use crate::session::context::Context;
use crate::session::locks::WorkspaceLocks;
use crate::session::snapshots::files::archives::Archives;

parts!(Trees {
    context: Context,
    locks: WorkspaceLocks,
    containers: Containers,
    archives: Archives,
});
