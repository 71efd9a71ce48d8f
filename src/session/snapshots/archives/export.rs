//! A snapshot's files as one archive, as Sandbox SDK 1.0 keeps its backups.

use crate::domain::error::{Error, Result};
use crate::domain::snapshot::backup::archive::{ForeignFormat, SdkBackupRecord, sdk_id_of};
use crate::domain::snapshot::refs::SnapshotSelector;
use crate::ports::sandbox::{FlattenBackupOptions, PackedBackup, StorePackedOptions, StoredBackup};
use crate::session::active::Active;
use crate::session::context::Context;
use crate::session::in_flight::InFlight;
use crate::session::loaded_session::LoadedSession;
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

    /// Stores the same archive in the session's bucket, as a backup of Sandbox SDK 1.0.
    /// Returns the record that the SDK restores by. Repeating it stores the same object.
    ///
    /// # Errors
    /// As [`Self::export_snapshot`]; `CROSS_SESSION_DISABLED`: the object is nobody's;
    /// `TOO_LARGE` past 4 GiB.
    pub async fn export_backup(
        &self,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        abort: &Abort,
    ) -> Result<SdkBackupRecord> {
        Export::from(self).export_backup(selector, allow_cross_session, abort).await
    }
}

/// A snapshot that is packed in a container.
struct Packed {
    stored: Stored,
    active: Active,
    archive: PackedBackup,
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
        let crossing = allow_cross_session;
        let packed = self.pack(&open, "exportSnapshot", selector, crossing, abort).await?;
        let Packed { active, archive: PackedBackup { name, size_bytes, sha256 }, .. } = packed;
        let options = FlattenBackupOptions { instance_id: Some(active.instance.clone()) };
        let content = active.sandbox.read_packed(name, options).await?;
        Ok(Download {
            etag: format!("\"{sha256}\""),
            media_type: "application/zstd",
            size_bytes,
            part: None,
            sha256: Some(sha256),
            content,
        })
    }

    async fn export_backup(
        &self,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        abort: &Abort,
    ) -> Result<SdkBackupRecord> {
        abort.check()?;
        let open = self.context.require_open()?.writable()?;
        let because = "the object in the bucket is not the session's";
        open.boundary(allow_cross_session).require_crossing(because)?;
        let packed = self.pack(&open, "exportBackup", selector, allow_cross_session, abort).await?;
        let Packed { stored, active, archive: PackedBackup { name, size_bytes, sha256 } } = packed;
        let id = sdk_id_of(&sha256).ok_or_else(|| Error::internal("an archive has no SHA-256"))?;
        self.context.note_crossing("exportBackup", Some(id.clone()), None)?;
        abort.step("storing the archive in the bucket")?;
        let options = StorePackedOptions {
            binding: open.config.backup_binding.clone(),
            key: self.context.sdk_key(&id),
            size_bytes,
            sha256: sha256.clone(),
            instance_id: Some(active.instance.clone()),
        };
        active.sandbox.store_packed(name, options).await?;
        let own = self.context.catalogue.snapshot(&stored.handle.id)?;
        Ok(SdkBackupRecord {
            id,
            dir: stored.handle.dir,
            size: size_bytes,
            name: own.and_then(|own| own.annotations.name),
            sha256,
            format: ForeignFormat::TarZstd,
        })
    }

    async fn pack(
        &self,
        open: &LoadedSession,
        operation: &str,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        abort: &Abort,
    ) -> Result<Packed> {
        open.require_snapshots()?;
        let stored = self.archives.find(open, operation, selector, allow_cross_session).await?;
        abort.step("making the workspace ready")?;
        let active = self.workspaces.active(open).await?;
        // Its archives are not deleted while the container fetches them. If they were before,
        // the sandbox finds that.
        let _reading = self.in_flight.read(&stored.handle.id);
        abort.step("packing the files")?;
        let backup = StoredBackup { id: stored.handle.id.clone(), binding: stored.binding.clone() };
        let options = FlattenBackupOptions { instance_id: Some(active.instance.clone()) };
        let archive = active.sandbox.pack_backup(backup, options).await?;
        Ok(Packed { stored, active, archive })
    }
}
