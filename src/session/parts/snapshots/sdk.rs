//! Backups of Sandbox SDK 1.0 in the session's bucket. They are reached only by crossing.

use crate::domain::ids::not_owned_snapshot;
use crate::domain::limits::TTL_MAX_SECS;
use crate::domain::snapshot::ShownState;
use crate::domain::snapshot::annotations::check_name;
use crate::domain::snapshot::archive::{sdk_backup_id, sdk_key};
use crate::domain::snapshot::backup::{expires_at_ms, meta_key};
use crate::domain::time::rfc3339;
use crate::domain::{
    Annotations, BackupDir, BackupId, Cause, Error, ErrorCode, ForeignFormat, Next, Result,
    SnapshotRef, SnapshotSelector, SnapshotSummary,
};
use crate::ports::ObjectInfo;
use crate::session::SnapshotView;
use crate::session::parts::{Context, LoadedSession};

pub(crate) struct SdkBackup {
    pub id: BackupId,
    pub info: ObjectInfo,
}

#[derive(Default)]
pub(crate) struct SdkPage {
    pub backups: Vec<SdkBackup>,
    pub cursor: Option<String>,
}

impl SdkBackup {
    /// Only the application knows which directory was backed up: a restore takes the session's.
    pub(crate) fn view(self, dir: &BackupDir) -> SnapshotView {
        let Self { id, info } = self;
        let name = info.name.filter(|name| check_name(name).is_ok());
        let created_at_ms = info.uploaded_at_ms;
        SnapshotView {
            r#ref: SnapshotRef::new(id.clone(), dir.clone(), None),
            snapshot: SnapshotSummary {
                id,
                annotations: Annotations { name, ..Annotations::default() },
                kind: None,
                format: Some(ForeignFormat::TarZstd),
                pinned: false,
                published: false,
                cause: Cause::default(),
                state: ShownState::Ready,
                created_at: rfc3339(created_at_ms),
                // The SDK deletes no backup by itself.
                expires_at: rfc3339(expires_at_ms(created_at_ms, TTL_MAX_SECS)),
                size_bytes: Some(info.size_bytes),
                parent_id: None,
                sha256: None,
                dropped: None,
                clamped_times: None,
                git: None,
                machine: None,
                retired_at: None,
                restorable: true,
                unrestorable_because: None,
            },
            unchanged: false,
            woken: None,
        }
    }
}

impl Context {
    pub(crate) fn sdk_key(&self, id: &BackupId) -> String {
        sdk_key(&self.settings.sdk_backups_prefix, id)
    }

    /// The caller has recorded that this crosses sessions. Refuses a ref that names a sandbox.
    pub(crate) async fn find_sdk_backup(
        &self,
        binding: &str,
        selector: &SnapshotSelector,
        id: &BackupId,
    ) -> Result<Option<SdkBackup>> {
        let bucket = self.ports.buckets.open(binding)?;
        let Some(info) = bucket.head(&self.sdk_key(id)).await? else { return Ok(None) };
        match selector {
            SnapshotSelector::Ref(named) if named.payload.origin_sandbox_id.is_some() => {
                Err(not_owned_snapshot())
            }
            _ => Ok(Some(SdkBackup { id: id.clone(), info })),
        }
    }

    /// Finds a backup of the SDK, unless a snapshot in the bucket has its id, too.
    pub(crate) async fn find_unimported(
        &self,
        binding: &str,
        selector: &SnapshotSelector,
        id: &BackupId,
    ) -> Result<Option<SdkBackup>> {
        let bucket = self.ports.buckets.open(binding)?;
        if bucket.head(&meta_key(id)).await?.is_some() {
            return Ok(None);
        }
        self.find_sdk_backup(binding, selector, id).await
    }

    pub(crate) async fn list_sdk_backups(
        &self,
        open: &LoadedSession,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<SdkPage> {
        let prefix = &self.settings.sdk_backups_prefix;
        let bucket = self.ports.buckets.open(&open.config.backup_binding)?;
        let page = bucket.list_objects(prefix, cursor, limit).await?;
        let backups = page.objects.into_iter().filter_map(|(key, info)| {
            let id = sdk_backup_id(prefix, &key)?;
            Some(SdkBackup { id, info })
        });
        Ok(SdkPage { backups: backups.collect(), cursor: page.cursor })
    }
}

/// For exports and wakes, which only our own snapshots allow.
pub(crate) fn not_imported(id: &BackupId) -> Error {
    Error::new(
        ErrorCode::Unsupported,
        format!("backup {id} is a tar archive of Sandbox SDK 1.0, not a snapshot"),
    )
    .with_hint(Next::ImportBackup)
}
