//! Check, in test builds, that this object's adapters keep the contracts of their ports.

use crate::domain::Result;
use crate::domain::session::config::DEFAULT_BACKUP_BINDING;
use crate::ports::contract;
use crate::session::Session;

impl Session {
    /// Runs every contract suite on this object's ports.
    ///
    /// # Errors
    /// `INTERNAL` naming the rule that is broken.
    pub async fn check_contracts(&self) -> Result<()> {
        let ports = &self.context.ports;
        let bucket = ports.buckets.open(DEFAULT_BACKUP_BINDING)?;
        contract::bucket(bucket.as_ref(), "contract/").await?;
        contract::database(ports.database.as_ref())?;
        contract::clock(ports.clock.as_ref()).await?;
        contract::isolates(ports.isolates.as_ref()).await?;
        contract::random(ports.random.as_ref())?;
        contract::alarm(ports.alarm.as_ref(), self.context.now_ms()).await
    }
}
