//! Destroy the container.

use crate::domain::error::Result;
use crate::sandbox::SandboxService;

impl SandboxService {
    /// Destroys the container and forgets the configuration. Backups in R2 stay,
    /// and so do the rows about unfinished ones: they are cleaned up here as well.
    pub(crate) async fn destroy_container(&self) -> Result<()> {
        self.machine.destroy().await?;
        self.store.forget_configuration()?;
        self.recover().await;
        Ok(())
    }
}
