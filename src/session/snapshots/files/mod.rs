//! Look into snapshots: their archives are read in the bucket, without a container.

pub(crate) mod archives;
pub(crate) mod copy;
pub(crate) mod cursor;
pub(crate) mod download;
pub(crate) mod grep;
pub(crate) mod list;
pub(crate) mod path;
pub(crate) mod read;
pub(crate) mod same;
pub(crate) mod stat;
pub(crate) mod tree;

use crate::domain::error::Result;
use crate::domain::snapshot::selector::SnapshotSelector;
use crate::session::context::Context;
use crate::session::snapshots::files::archives::{Archives, OpenSnapshot};

parts!(SnapshotFiles { context: Context, archives: Archives });

impl SnapshotFiles<'_> {
    async fn open(
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
