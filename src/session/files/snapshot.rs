//! Look into snapshots: their archives are read in the bucket, without a container.

use crate::domain::{Result, SnapshotSelector};
use crate::session::parts::{Archives, Context, OpenSnapshot};

parts!(SnapshotFiles { context: Context, archives: Archives });

impl SnapshotFiles<'_> {
    pub(super) async fn open(
        &self,
        operation: &'static str,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<OpenSnapshot> {
        let loaded = self.context.load()?;
        let room = self.archives.room().await?;
        self.archives.open(&room, &loaded, operation, selector, allow_cross_session).await
    }
}
