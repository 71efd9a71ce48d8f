//! Make a snapshot full.

use crate::domain::{Error, Result, SnapshotKind, SnapshotSelector};
use crate::session::parts::snapshots::locate::Target;
use crate::session::parts::{Context, Flattener};
use crate::session::{Abort, Session, SnapshotView};

parts!(Flatten { context: Context, flattener: Flattener });

impl Session {
    /// Makes one of this session's snapshots full, in a clean sandbox, and deletes archives that
    /// only its layer needed. Does nothing if the snapshot is full.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED`; `SNAPSHOT_GONE`; `CONFLICT` while it or a layer above it is being
    /// taken, deleted or read; `QUOTA_EXCEEDED`; `INTEGRITY`; `BACKUP_FAILED`.
    pub async fn flatten(
        &self,
        selector: &SnapshotSelector,
        abort: &Abort,
    ) -> Result<SnapshotView> {
        let parts = Flatten::from(self);
        abort.check()?;
        let open = parts.context.require_open()?.writable()?;
        open.require_snapshots()?;
        let Target::Own(found) = parts.context.locate(&open, selector, false)? else {
            return Err(Error::internal("a snapshot of this session was reached by crossing"));
        };
        found.restorable(parts.context.now_ms())?;
        if found.kind() == SnapshotKind::Layer {
            abort.step("archiving the whole tree into the bucket")?;
            parts.flattener.flatten(&open, &found.id, abort).await?;
        }
        Ok(SnapshotView::of(&parts.context.require_snapshot(&found.id)?, parts.context.now_ms()))
    }
}
