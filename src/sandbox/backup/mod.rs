//! Archives directories to R2, and restores archives.

pub(crate) mod archive;
pub(crate) mod create;
pub(crate) mod fetch;
pub(crate) mod flatten;
pub(crate) mod import;
pub(crate) mod machine;
pub(crate) mod manifest;
pub(crate) mod pack;
pub(crate) mod plan;
pub(crate) mod prepare;
pub(crate) mod repack;
pub(crate) mod restore;
pub(crate) mod stop;
pub(crate) mod upload;

use crate::sandbox::parts::active_streams::ActiveStreams;
use crate::sandbox::parts::backups::Backups;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::context::Context;
use std::rc::Rc;

parts!(Backup {
    context: Context,
    container: Rc<SandboxContainer>,
    active_streams: ActiveStreams,
    backups: Backups,
});
