//! Look into snapshots: their archives are read in the bucket, without a container.

use crate::domain::error::Result;
use crate::domain::snapshot::selector::SnapshotSelector;
use crate::session::parts::context::Context;
use crate::session::parts::snapshots::archives::{Archives, OpenSnapshot};

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
