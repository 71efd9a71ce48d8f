//! Make a snapshot of an archive's files.

use crate::domain::limits::ARCHIVE_KEY_MAX_BYTES;
use crate::domain::snapshot::archive::{check_sha256, recorded_sha256, sdk_annotations};
use crate::domain::snapshot::gone;
use crate::domain::{
    ArchiveFormat, BackupId, Error, ErrorCode, Result, Snapshot, SnapshotSelector, SnapshotTrigger,
    Subject, Workspace,
};
use crate::ports::Bytes;
use crate::ports::sandbox::ImportBackupOptions;
use crate::session::parts::snapshots::locate::Target;
use crate::session::parts::snapshots::saver::{Importing, Saving};
use crate::session::parts::snapshots::store::adopt::SnapshotRequest;
use crate::session::parts::{Active, CleanSandboxes, Context, LoadedSession, Saver, SnapshotStore};
use crate::session::{Abort, Session, SnapshotView};

/// Without `parts!`: a restore or rewind to a backup of the SDK builds this from its own parts.
#[derive(Clone, Copy)]
pub(crate) struct Import<'a> {
    pub(crate) context: &'a Context,
    pub(crate) store: &'a SnapshotStore,
    pub(crate) saver: &'a Saver,
    pub(crate) clean: &'a CleanSandboxes,
}

impl<'a> From<&'a Session> for Import<'a> {
    fn from(session: &'a Session) -> Self {
        Self {
            context: &session.context,
            store: &session.store,
            saver: &session.saver,
            clean: &session.clean,
        }
    }
}

/// An archive that becomes a snapshot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportRequest {
    /// The request for the snapshot.
    pub snapshot: SnapshotRequest,
    /// Format of the archive.
    pub format: ArchiveFormat,
    /// SHA-256 of the archive as it is sent or stored.
    pub sha256: Option<String>,
}

/// Where the archive is.
pub enum ImportSource {
    /// The caller sends it.
    Sent(Bytes),
    /// The archive is in the session's bucket.
    Stored {
        /// The archive's name there.
        at: StoredArchive,
        /// Whether the caller crosses: the object does not belong to the session.
        allow_cross_session: bool,
    },
}

/// An archive in the session's bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredArchive {
    /// A backup of Sandbox SDK 1.0.
    Backup(BackupId),
    /// Any object.
    Key(String),
}

enum Archive {
    Sent(Bytes),
    Stored { at: StoredArchive, key: String },
}

impl Session {
    /// Makes a snapshot of an archive's files, in a clean sandbox, where no caller's command can
    /// influence the checks. The snapshot counts as taken from the active workspace.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`; `INTEGRITY` for another SHA-256; `TOO_LARGE`; `UNSUPPORTED`; from the
    /// bucket, `CROSS_SESSION_DISABLED` and `SNAPSHOT_GONE`; the errors of a snapshot.
    pub async fn import_snapshot(
        &self,
        request: ImportRequest,
        source: ImportSource,
        abort: &Abort,
    ) -> Result<SnapshotView> {
        let made = Import::from(self).import(request, source, abort, true).await?;
        let view = SnapshotView::of(&made, self.context.now_ms());
        Ok(SnapshotView { woken: self.context.take_unreported_wake()?, ..view })
    }
}

impl Import<'_> {
    /// `is_subject`: whether the call's record names the snapshot as its subject.
    pub(crate) async fn import(
        &self,
        request: ImportRequest,
        source: ImportSource,
        abort: &Abort,
        is_subject: bool,
    ) -> Result<Snapshot> {
        abort.check()?;
        let open = self.context.require_open()?.writable()?;
        open.require_snapshots()?;
        let ImportRequest { snapshot: wanted, format, sha256 } = request;
        open.expect_active(wanted.expected_active.as_ref())?;
        check_sha256(sha256.as_deref())?;
        self.store.check_request(&wanted)?;
        let check_room = |workspace: &Workspace| {
            self.store.check_interval(&open)?;
            self.store.check_room(&open, workspace)
        };
        let workspace = self.context.usable(&open.row.active_sandbox_id)?;
        check_room(&workspace)?;
        let archive = match source {
            ImportSource::Sent(archive) => Archive::Sent(archive),
            ImportSource::Stored { at, allow_cross_session } => {
                let key = self.find_stored(&open, &at, allow_cross_session).await?;
                Archive::Stored { at, key }
            }
        };
        abort.step("starting a container for the archive")?;
        let clean = self.clean.begin(&open).await?;
        let active =
            Active::without_lock(clean.sandbox.clone(), workspace.clone(), clean.instance.clone());
        let maker = clean.id.clone();
        let last_check = |id: &BackupId| {
            self.store.check_request(&wanted)?;
            check_room(&workspace)?;
            self.context.catalogue.set_clean_backup(&maker, id)?;
            if is_subject { abort.makes(&Subject::Snapshot(id.clone())) } else { Ok(()) }
        };
        let made = async {
            abort.step("extracting the archive, and archiving its files into the bucket")?;
            let archive = match archive {
                Archive::Sent(archive) => archive,
                Archive::Stored { at, key } => self.read_stored(&open, &at, &key).await?,
            };
            let options = ImportBackupOptions { layer: format == ArchiveFormat::OciLayer, sha256 };
            let (ttl, renews) = self.context.retention_policy(&open)?.lifetime(wanted.ttl);
            let saving = Saving {
                annotations: wanted.annotations.clone(),
                ttl,
                renews,
                cause: SnapshotTrigger::Import.into(),
                abort: abort.clone(),
                import: Some(Importing { archive, options }),
                ..Saving::default()
            };
            let (binding, dir) = (&open.config.backup_binding, &open.config.snapshot_dir);
            self.saver.save(binding, &active, dir, saving, last_check).await
        };
        let made = made.await;
        self.clean.end(clean).await;
        Ok(made?.snapshot().clone())
    }

    /// If a backup of Sandbox SDK 1.0 is named, makes a snapshot of it: a workspace can only wake
    /// from one. None: it has a snapshot already, or is gone, or the caller does not cross.
    pub(crate) async fn import_sdk_backup(
        &self,
        open: &LoadedSession,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        abort: &Abort,
    ) -> Result<Option<SnapshotSelector>> {
        if !allow_cross_session || !self.context.is_foreign(selector)? {
            return Ok(None);
        }
        let Target::Foreign(id) = self.context.locate(open, selector, true)? else {
            return Ok(None);
        };
        let binding = &open.config.backup_binding;
        if self.context.find_unimported(binding, selector, &id).await?.is_none() {
            return Ok(None);
        }
        let annotations = sdk_annotations(&id);
        let request = ImportRequest {
            snapshot: SnapshotRequest { annotations, ..SnapshotRequest::default() },
            sha256: recorded_sha256(selector),
            ..ImportRequest::default()
        };
        let source =
            ImportSource::Stored { at: StoredArchive::Backup(id), allow_cross_session: true };
        // The call's record names the workspace that the call makes or changes.
        let made = self.import(request, source, abort, false).await?;
        Ok(Some(SnapshotSelector::Id(made.id)))
    }

    /// The key of an archive in the bucket. Logs the crossing before any other effect.
    async fn find_stored(
        &self,
        open: &LoadedSession,
        at: &StoredArchive,
        allow_cross_session: bool,
    ) -> Result<String> {
        let because = "this session owns nothing in the bucket but its snapshots";
        open.boundary(allow_cross_session).require_crossing(because)?;
        let (key, id) = match at {
            StoredArchive::Backup(id) => (self.context.sdk_key(id), Some(id.clone())),
            StoredArchive::Key(key) => {
                if key.is_empty() || key.len() > ARCHIVE_KEY_MAX_BYTES {
                    let what = format!("must have 1 to {ARCHIVE_KEY_MAX_BYTES} bytes");
                    return Err(Error::invalid("key", what));
                }
                (key.clone(), None)
            }
        };
        let bucket = self.context.ports.buckets.open(&open.config.backup_binding)?;
        let found = bucket.head(&key).await?;
        self.context.note_crossing("importBackup", id, None)?;
        found.map(|_| key.clone()).ok_or_else(|| absent(at, &key))
    }

    async fn read_stored(
        &self,
        open: &LoadedSession,
        at: &StoredArchive,
        key: &str,
    ) -> Result<Bytes> {
        let bucket = self.context.ports.buckets.open(&open.config.backup_binding)?;
        bucket.read_stream(key).await?.ok_or_else(|| absent(at, key))
    }
}

fn absent(at: &StoredArchive, key: &str) -> Error {
    match at {
        StoredArchive::Backup(id) => gone(id, &format!("is not in the bucket as {key}")),
        StoredArchive::Key(_) => {
            Error::new(ErrorCode::SnapshotGone, format!("the bucket has no object {key}"))
        }
    }
}
