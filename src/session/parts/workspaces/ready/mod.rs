//! Bring a workspace up, so that tools can act on it.

pub(crate) mod wake;

use crate::domain::snapshot::archive::{check_sha256, recorded_sha256, sdk_annotations};
use crate::domain::snapshot::backup::meta_key;
use crate::domain::snapshot::gone;
use crate::domain::workspace::lost;
use crate::domain::{
    BackupId, DirHead, Heads, InstanceId, Result, SandboxId, SnapshotTrigger, Workspace,
    WorkspaceRef,
};
use crate::ports::sandbox::{ImportBackupOptions, SandboxApi};
use crate::session::Abort;
use crate::session::parts::containers::Provided;
use crate::session::parts::snapshots::saver::{Importing, Saving};
use crate::session::parts::{
    Active, AutosaveState, Containers, Context, InFlight, LoadedSession, Quotas, Replacer, Saver,
    SnapshotStore, Sources, WorkspaceLocks,
};
use std::rc::Rc;

/// Attempts to bring up a workspace whose container stops again at once.
pub(crate) const BRING_UP_ATTEMPTS: u32 = 3;

/// Brings workspaces up: a running container with the workspace's files.
pub struct Workspaces {
    pub(crate) context: Rc<Context>,
    locks: Rc<WorkspaceLocks>,
    pub(crate) in_flight: Rc<InFlight>,
    pub(crate) autosave: Rc<AutosaveState>,
    pub(crate) containers: Rc<Containers>,
    pub(crate) store: Rc<SnapshotStore>,
    pub(crate) quotas: Rc<Quotas>,
    pub(crate) sources: Rc<Sources>,
    pub(crate) saver: Rc<Saver>,
    replacer: Rc<Replacer>,
}

impl Workspaces {
    #[expect(clippy::too_many_arguments, reason = "one for each part that it stands on")]
    pub(crate) fn new(
        context: Rc<Context>,
        locks: Rc<WorkspaceLocks>,
        in_flight: Rc<InFlight>,
        autosave: Rc<AutosaveState>,
        containers: Rc<Containers>,
        store: Rc<SnapshotStore>,
        quotas: Rc<Quotas>,
        sources: Rc<Sources>,
        saver: Rc<Saver>,
        replacer: Rc<Replacer>,
    ) -> Self {
        Self {
            context,
            locks,
            in_flight,
            autosave,
            containers,
            store,
            quotas,
            sources,
            saver,
            replacer,
        }
    }

    /// Starts or wakes the active workspace. Refused while it is paused. Each call carries the
    /// recorded disk, and the sandbox answers `WORKSPACE_LOST` if it has another one by then.
    pub(crate) async fn active(&self, open: &LoadedSession) -> Result<Active> {
        self.ready(open, &open.row.active_sandbox_id).await
    }

    /// As [`Self::active`], for a workspace that the call may name instead.
    pub(crate) async fn chosen(
        &self,
        open: &LoadedSession,
        named: Option<&WorkspaceRef>,
    ) -> Result<Active> {
        self.ready(open, &self.context.chosen_or_active(open, named)?).await
    }

    /// As [`Self::chosen`], but only if it runs already, with its files. Wakes nothing.
    pub(crate) async fn running(
        &self,
        open: &LoadedSession,
        named: Option<&WorkspaceRef>,
    ) -> Result<Option<Active>> {
        let id = self.context.chosen_or_active(open, named)?;
        let row = self.context.catalogue.workspace(&id)?;
        let Some(row) = row.filter(|row| row.paused_at_ms.is_none()) else { return Ok(None) };
        let disk = self.context.ports.sandboxes.get(&id)?.disk().await?;
        if disk.is_none() || disk != row.instance_id {
            return Ok(None);
        }
        self.ready(open, &id).await.map(Some)
    }

    /// All callers lock two workspaces in the order of their ids: no two calls wait for each other.
    pub(crate) async fn both(
        &self,
        open: &LoadedSession,
        one: &WorkspaceRef,
        other: &WorkspaceRef,
    ) -> Result<(Active, Active)> {
        let (one, other) =
            (self.context.choose(one)?.sandbox_id, self.context.choose(other)?.sandbox_id);
        if one.as_str() < other.as_str() {
            let first = self.ready(open, &one).await?;
            Ok((first, self.ready(open, &other).await?))
        } else {
            let first = self.ready(open, &other).await?;
            Ok((self.ready(open, &one).await?, first))
        }
    }

    pub(crate) async fn ready(&self, open: &LoadedSession, id: &SandboxId) -> Result<Active> {
        for _ in 0..BRING_UP_ATTEMPTS {
            let shared = self.locks.shared(id).await?;
            // While this call holds the lock, no call pauses the workspace.
            self.context.unpaused(id)?;
            if let Some(left) = self.context.catalogue.running_rewind(id)? {
                // Finishing the rewind needs the exclusive lock.
                drop(shared);
                self.replacer.complete_rewind(&left).await?;
                continue;
            }
            let sandbox = self.containers.configured_sandbox(id).await?;
            let workspace = self.context.usable(id)?;
            if let Some(instance) = workspace.instance_id.clone()
                && sandbox.disk().await?.as_ref() == Some(&instance)
            {
                self.autosave.schedule(open).await?;
                self.context.catalogue.touch_workspace(id, self.context.now_ms())?;
                let active = Active::new(sandbox, workspace, instance, shared);
                self.containers.furnish(open, &active).await;
                return Ok(active);
            }
            drop(shared);
            self.bring_up(open, &workspace).await?;
        }
        Err(lost())
    }

    /// Once for all waiting callers.
    async fn bring_up(&self, open: &LoadedSession, seen: &Workspace) -> Result<()> {
        let id = &seen.sandbox_id;
        let _exclusive = self.locks.exclusive(id, "a wake").await?;
        let workspace = self.context.unpaused(id)?;
        if workspace.instance_id != seen.instance_id {
            // Another caller has just brought it up.
            return Ok(());
        }
        // Goes on even if a caller gives up: the next call needs the files, too.
        self.bring_up_exclusively(open, workspace, &Abort::default()).await?;
        self.containers.services.renew(id);
        self.autosave.forget_failure(open, id).await
    }

    /// As [`Self::bring_up`], for a caller that has the workspace exclusively and may give up.
    pub(crate) async fn bring_up_exclusively(
        &self,
        open: &LoadedSession,
        workspace: Workspace,
        abort: &Abort,
    ) -> Result<()> {
        // A new workspace that began with another session's files has heads before a disk.
        let id = &workspace.sandbox_id;
        if workspace.instance_id.is_some()
            || !self.context.catalogue.heads_of(id)?.as_slice().is_empty()
        {
            return self.wake_workspace(open, workspace, abort).await;
        }
        let idle = self.quotas.find_idle(open).await?;
        self.quotas.check_running_quota(open, &idle, Some(id))?;
        let _starting = self.in_flight.work_on(id.as_str());
        // Set the alarm before the container starts: the platform would not stop it for hours.
        self.autosave.schedule(open).await?;
        let sandbox = self.containers.sandbox_to_start(id).await?;
        let provided = Provided { instance: sandbox.ensure_running().await?, made: Vec::new() };
        if let Err(error) = self.containers.provision(open, sandbox.as_ref(), &provided).await {
            return Err(self.unwoken(&idle, &workspace, error).await);
        }
        self.context.catalogue.set_instance(id, Some(&provided.instance), self.context.now_ms())
    }
}

impl Workspaces {
    /// Imports a backup of Sandbox SDK 1.0 that a workspace without files begins with. The caller
    /// has the workspace exclusively. Until the last step it begins with the backup, so that an
    /// import that failed or was interrupted is redone.
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
            cause: SnapshotTrigger::Import.into(),
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
