//! Destroys the container.

use crate::domain::error::Result;
use crate::sandbox::SandboxService;
use crate::sandbox::machine::ensure_running::was_destroyed;

impl SandboxService {
    /// Destroys the container and forgets the configuration. Backups in R2 stay,
    /// but unfinished ones are cleaned up.
    pub(crate) async fn destroy_container(&self) -> Result<()> {
        // No await from here to the end of the running start: a call that began earlier starts
        // nothing, and a configuration that comes later stays.
        self.destroys.set(self.destroys.get() + 1);
        self.store.forget_configuration()?;
        self.machine.destroy().await?;
        self.recover().await;
        Ok(())
    }

    /// Fails if the container was destroyed since a call began, when `destroys` was counted.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub(crate) fn check_undestroyed(&self, destroys: u64) -> Result<()> {
        if self.destroys.get() == destroys { Ok(()) } else { Err(was_destroyed()) }
    }
}
