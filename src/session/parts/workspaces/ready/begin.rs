//! Import the backup of Sandbox SDK 1.0 that a session was opened from.

use crate::domain::snapshot::archive::{check_sha256, recorded_sha256, sdk_annotations};
use crate::domain::snapshot::backup::meta_key;
use crate::domain::snapshot::gone;
use crate::domain::{BackupId, DirHead, Heads, InstanceId, Result, SnapshotTrigger, Workspace};
use crate::ports::sandbox::{ImportBackupOptions, SandboxApi};
use crate::session::parts::snapshots::saver::{Importing, Saving};
use crate::session::parts::{Active, LoadedSession, Workspaces};
use std::rc::Rc;

impl Workspaces {
    /// If a workspace that never had files begins with a backup of Sandbox SDK 1.0, makes a
    /// snapshot of the backup in the workspace's container, and makes the workspace begin with the
    /// snapshot. The caller has the workspace exclusively.
    ///
    /// Until the last step the workspace begins with the backup, so an import that failed
    /// or was interrupted is redone.
    ///
    /// # Errors
    /// As `importBackup`.
    pub(crate) async fn begin_with_import(
        &self,
        open: &LoadedSession,
        slept: &Workspace,
        sandbox: &Rc<dyn SandboxApi>,
        started: &InstanceId,
    ) -> Result<()> {
        let heads = self.context.catalogue.heads_of(&slept.sandbox_id)?;
        let ([DirHead { backup_id, dir }], None) = (heads.as_slice(), &slept.instance_id) else {
            return Ok(());
        };
        if self.context.catalogue.snapshot(backup_id)?.is_some() {
            return Ok(());
        }
        let binding = &open.config.backup_binding;
        let bucket = self.context.ports.buckets.open(binding)?;
        if bucket.head(&meta_key(backup_id)).await?.is_some() {
            return Ok(());
        }
        let Some(archive) = bucket.read_stream(&self.context.sdk_key(backup_id)).await? else {
            return Err(gone(backup_id, "is not in the bucket"));
        };
        let sha256 = open.row.config.from.as_ref().and_then(recorded_sha256);
        check_sha256(sha256.as_deref())?;
        let active = Active::without_lock(sandbox.clone(), slept.clone(), started.clone());
        let saving = Saving {
            annotations: sdk_annotations(backup_id),
            ttl: self.context.retention_policy(open)?.ttl,
            trigger: SnapshotTrigger::Import,
            import: Some(Importing {
                archive,
                options: ImportBackupOptions { layer: false, sha256 },
            }),
            ..Saving::default()
        };
        let last_check = |_: &BackupId| self.context.usable(&slept.sandbox_id).map(drop);
        let saved = self.saver.save(binding, &active, dir, saving, last_check).await?;
        // No await from here on: workspace and heads are stored together.
        let imported = saved.snapshot().id.clone();
        let mut workspace = self.context.usable(&slept.sandbox_id)?;
        for named in [
            &mut workspace.from_backup_id,
            &mut workspace.made_from_backup_id,
            &mut workspace.head_backup_id,
        ] {
            if named.as_ref() == Some(backup_id) {
                *named = Some(imported.clone());
            }
        }
        self.context.catalogue.put_workspace(&workspace)?;
        let head = DirHead { backup_id: imported, dir: dir.clone() };
        self.context.catalogue.set_heads(&slept.sandbox_id, &Heads::of(Some(head)))
    }
}
