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
pub(crate) mod upload;

use crate::domain::error::Result;
use crate::domain::ids::BackupId;
use crate::sandbox::parts::active_streams::ActiveStreams;
use crate::sandbox::parts::backups::Backups;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::context::Context;
use crate::sandbox::scripts::group_of;
use futures::future::join_all;
use std::rc::Rc;

parts!(Backup {
    context: Context,
    container: Rc<SandboxContainer>,
    active_streams: ActiveStreams,
    backups: Backups,
});

impl Backup<'_> {
    /// Ends the backup or restore with this id before its next step, and its running scripts. Does
    /// nothing if none runs with this id.
    pub(crate) async fn stop_making(&self, id: &BackupId) -> Result<()> {
        let ids = self.backups.stoppable.end(id);
        if self.container.is_running() {
            let stops = ids.iter().map(async |id| {
                self.container.stop(&group_of(id)).await;
            });
            join_all(stops).await;
        }
        Ok(())
    }
}
