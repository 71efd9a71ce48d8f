//! A snapshot's files as one archive, as Sandbox SDK 1.0 keeps its backups.

use crate::domain::snapshot::archive::{SdkBackupRecord, sdk_id_of};
use crate::domain::{BackupId, Error, ForeignFormat, Result, SnapshotSelector};
use crate::ports::sandbox::{PackedBackup, StorePackedOptions, StoredBackup};
use crate::session::parts::snapshots::clean::Clean;
use crate::session::parts::snapshots::source::Stored;
use crate::session::parts::{Archives, CleanSandboxes, Context, InFlight, LoadedSession};
use crate::session::{Abort, Download, Session};

parts!(Export { context: Context, in_flight: InFlight, archives: Archives, clean: CleanSandboxes });

impl Session {
    /// Streams a snapshot's files as a tar archive compressed with zstd. A clean sandbox makes it
    /// before the stream begins; the alarm destroys the sandbox once the stream has ended.
    ///
    /// # Errors
    /// As a restore of the snapshot; `BACKUP_FAILED`; `UNSUPPORTED` if the image lacks a tool.
    pub async fn export_snapshot(
        &self,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        abort: &Abort,
    ) -> Result<Download> {
        let export = Export::from(self);
        abort.check()?;
        let open = export.context.require_open()?;
        let crossing = allow_cross_session;
        let packed = export.pack(&open, "exportSnapshot", selector, crossing, abort).await?;
        let Packed { clean, archive: PackedBackup { name, size_bytes, sha256 }, .. } = packed;
        let content = match clean.sandbox.read_packed(name, clean.options()).await {
            Ok(content) => content,
            Err(error) => {
                export.clean.end(clean).await;
                return Err(error);
            }
        };
        Ok(Download {
            etag: format!("\"{sha256}\""),
            media_type: "application/zstd",
            size_bytes,
            part: None,
            sha256: Some(sha256),
            content,
        })
    }

    /// Stores the same archive in the session's bucket, as a backup of Sandbox SDK 1.0. Returns the
    /// record that the SDK restores by. Repeating it stores the same object.
    ///
    /// # Errors
    /// As [`Self::export_snapshot`]; `CROSS_SESSION_DISABLED`; `TOO_LARGE` past 4 GiB.
    pub async fn export_backup(
        &self,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        abort: &Abort,
    ) -> Result<SdkBackupRecord> {
        let export = Export::from(self);
        abort.check()?;
        let open = export.context.require_open()?.writable()?;
        let because = "the object in the bucket is not the session's";
        open.boundary(allow_cross_session).require_crossing(because)?;
        let packed =
            export.pack(&open, "exportBackup", selector, allow_cross_session, abort).await?;
        let Packed { stored, clean, archive } = packed;
        let id = export.store(&open, &clean, &archive, abort).await;
        export.clean.end(clean).await;
        let (id, PackedBackup { size_bytes, sha256, .. }) = (id?, archive);
        let own = export.context.catalogue.snapshot(&stored.handle.id)?;
        Ok(SdkBackupRecord {
            id,
            dir: stored.handle.dir,
            size: size_bytes,
            name: own.and_then(|own| own.annotations.name),
            sha256,
            format: ForeignFormat::TarZstd,
        })
    }
}

struct Packed<'a> {
    stored: Stored,
    clean: Clean<'a>,
    archive: PackedBackup,
}

impl Export<'_> {
    async fn store(
        &self,
        open: &LoadedSession,
        clean: &Clean<'_>,
        archive: &PackedBackup,
        abort: &Abort,
    ) -> Result<BackupId> {
        let PackedBackup { name, size_bytes, sha256 } = archive;
        let id = sdk_id_of(sha256).ok_or_else(|| Error::internal("an archive has no SHA-256"))?;
        self.context.note_crossing("exportBackup", Some(id.clone()), None)?;
        abort.step("storing the archive in the bucket")?;
        let options = StorePackedOptions {
            binding: open.config.backup_binding.clone(),
            key: self.context.sdk_key(&id),
            size_bytes: *size_bytes,
            sha256: sha256.clone(),
            instance_id: Some(clean.instance.clone()),
        };
        clean.sandbox.store_packed(name.clone(), options).await?;
        Ok(id)
    }

    async fn pack(
        &self,
        open: &LoadedSession,
        operation: &str,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        abort: &Abort,
    ) -> Result<Packed<'_>> {
        open.require_snapshots()?;
        let stored = self.archives.find(open, operation, selector, allow_cross_session).await?;
        abort.step("starting a container for the archive")?;
        let clean = self.clean.begin(open).await?;
        // Its archives are not deleted while the container fetches them. If they were deleted
        // before, the sandbox notices.
        let _reading = self.in_flight.read(&stored.handle.id);
        let backup = StoredBackup { id: stored.handle.id.clone(), binding: stored.binding.clone() };
        let packed = async {
            abort.step("packing the files")?;
            let packing = clean.sandbox.pack_backup(backup, clean.options());
            abort.or_stopped(clean.sandbox.as_ref(), &stored.handle.id, packing).await
        };
        match packed.await {
            Ok(archive) => Ok(Packed { stored, clean, archive }),
            Err(error) => {
                self.clean.end(clean).await;
                Err(error)
            }
        }
    }
}
