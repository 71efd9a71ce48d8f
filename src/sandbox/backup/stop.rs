//! Ends a backup or a restore whose caller has given up.

use crate::domain::error::Result;
use crate::domain::ids::BackupId;
use crate::sandbox::SandboxService;
use crate::sandbox::exec::stop::stop;
use crate::sandbox::scripts::group_of;
use futures::future::join_all;

impl SandboxService {
    /// Ends the backup or restore with this id before its next step, and ends the scripts that it
    /// runs. Does nothing if none runs with this id.
    pub(crate) async fn stop_making(&self, id: &BackupId) -> Result<()> {
        let ids = self.stoppable.end(id);
        if self.machine.is_running() {
            let stops = ids.iter().map(async |id| {
                stop(&self.machine, self.ports.log.as_ref(), &self.label, &group_of(id)).await;
            });
            join_all(stops).await;
        }
        Ok(())
    }
}
