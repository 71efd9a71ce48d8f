//! Destroys the container.

use crate::domain::error::Result;
use crate::sandbox::SandboxService;

impl SandboxService {
    /// Destroys the container and forgets the configuration. Backups in R2 stay,
    /// but unfinished ones are cleaned up.
    pub(crate) async fn destroy_container(&self) -> Result<()> {
        self.machine.destroy().await?;
        self.store.forget_configuration()?;
        self.recover().await;
        Ok(())
    }
}
