//! Ends a backup or a restore whose caller has given up.

use crate::domain::error::Result;
use crate::domain::ids::BackupId;
use crate::sandbox::backup::Backup;
use crate::sandbox::scripts::group_of;
use futures::future::join_all;

impl Backup<'_> {
    /// Ends the backup or restore with this id before its next step, and ends the scripts that it
    /// runs. Does nothing if none runs with this id.
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
