//! A snapshot's files as one archive, as Sandbox SDK 1.0 keeps its backups.

use crate::domain::error::Result;
use crate::domain::snapshot::refs::SnapshotSelector;
use crate::ports::sandbox::{FlattenBackupOptions, StoredBackup};
use crate::session::context::Context;
use crate::session::in_flight::InFlight;
use crate::session::snapshots::files::archives::Archives;
use crate::session::snapshots::source::Stored;
use crate::session::workspaces::ready::Workspaces;
use crate::session::{Abort, Download, Session};

parts!(Export {
    context: Context,
    in_flight: InFlight,
    archives: Archives,
    workspaces: Workspaces
});

impl Session {
    /// Streams the files of a snapshot as a tar archive compressed with zstd. The active
    /// workspace's container makes it, before the stream begins: it wakes if it sleeps, and
    /// its files stay as they are.
    ///
    /// # Errors
    /// As a restore of it; `BACKUP_FAILED`; `UNSUPPORTED` if the image lacks a tool.
    pub async fn export_snapshot(
        &self,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        abort: &Abort,
    ) -> Result<Download> {
        Export::from(self).export(selector, allow_cross_session, abort).await
    }
}

impl Export<'_> {
    async fn export(
        &self,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        abort: &Abort,
    ) -> Result<Download> {
        abort.check()?;
        let open = self.context.require_open()?;
        open.require_snapshots()?;
        let found = self.archives.find(&open, "exportSnapshot", selector, allow_cross_session);
        let Stored { handle, binding, .. } = found.await?;
        abort.step("making the workspace ready")?;
        let active = self.workspaces.active(&open).await?;
        // Its archives are not deleted while the container fetches them. If they were before,
        // the sandbox finds that.
        let _reading = self.in_flight.read(&handle.id);
        abort.step("packing the files")?;
        let backup = StoredBackup { id: handle.id, binding };
        let options = FlattenBackupOptions { instance_id: Some(active.instance.clone()) };
        let packed = active.sandbox.pack_backup(backup, options.clone()).await?;
        let content = active.sandbox.read_packed(packed.name, options).await?;
        Ok(Download {
            etag: format!("\"{}\"", packed.sha256),
            media_type: "application/zstd",
            size_bytes: packed.size_bytes,
            part: None,
            sha256: Some(packed.sha256),
            content,
        })
    }
}
