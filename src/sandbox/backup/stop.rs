//! Ends a backup or a restore whose caller has given up.

use crate::domain::error::Result;
use crate::domain::ids::BackupId;
use crate::sandbox::SandboxService;
use crate::sandbox::exec::stop::stop;
use crate::sandbox::scripts::group_of;

impl SandboxService {
    /// Has the backup or the restore of that id end before its next step, and ends the
    /// script that it runs. Does nothing if there is none.
    pub(crate) async fn stop_making(&self, id: &BackupId) -> Result<()> {
        if self.stoppable.end(id) && self.machine.is_running() {
            stop(&self.machine, self.ports.log.as_ref(), &self.label, &group_of(id)).await;
        }
        Ok(())
    }
}
