//! Bring a workspace's files back into a container that lacks them.

use crate::domain::snapshot::chain::Part;
use crate::domain::time::rfc3339;
use crate::domain::workspace::lost_for_good;
use crate::domain::{
    AbsolutePath, BackupId, DirHead, Error, ErrorCode, Event, Heads, InstanceId, Result, SandboxId,
    Woken, Workspace, WorkspaceKind,
};
use crate::ports::sandbox::{RestoreBackupOptions, RestoreBackupResult, SandboxApi, StoredBackup};
use crate::session::Abort;
use crate::session::parts::containers::Provided;
use crate::session::parts::quotas::Idle;
use crate::session::parts::snapshots::recover_saves::{unapplied, unapplied_yet};
use crate::session::parts::snapshots::source::{Stored, restore_machine};
use crate::session::parts::snapshots::store::is_stored;
use crate::session::parts::{Context, LoadedSession, Workspaces};

struct Brought {
    provided: Provided,
    heads: Vec<Stored>,
    aside: Option<String>,
    machine_lost: bool,
}

impl Workspaces {
    /// Wakes a workspace whose container does not run, or has another disk than the recorded one.
    /// The caller has it exclusively. Records the new disk last: until then each call finds the
    /// workspace asleep, so a wake that failed or was interrupted is redone.
    pub(crate) async fn wake_workspace(
        &self,
        open: &LoadedSession,
        slept: Workspace,
        abort: &Abort,
    ) -> Result<()> {
        if slept.kind == WorkspaceKind::Shared {
            return Err(lost_for_good());
        }
        let id = &slept.sandbox_id;
        let idle = self.quotas.find_idle(open).await?;
        self.quotas.check_running_quota(open, &idle, Some(id))?;
        let _waking = self.in_flight.work_on(id.as_str());
        self.saver.recover_saves(id).await?;
        self.autosave.schedule(open).await?;
        let sandbox = self.containers.sandbox_to_start(id).await?;
        // Separately, so that a failed start does not look like a head that can't be applied.
        let started = sandbox.ensure_running().await?;
        let begun = self.context.usable(id)?;
        let begun = self.begin_with_import(open, &begun, &sandbox, &started).await;
        if let Err(error) = begun {
            return Err(self.unwoken(&idle, &slept, error).await);
        }
        let slept = self.context.usable(id)?;
        let recorded = self.context.catalogue.heads_of(id)?;
        // Keeps the heads until the wake is recorded: a save that ends meanwhile becomes the head,
        // and retention deletes earlier ones.
        let _reading: Vec<_> =
            recorded.as_slice().iter().map(|head| self.in_flight.read(&head.backup_id)).collect();
        let brought = self.bring_files(open, sandbox.as_ref(), &recorded, started, abort).await;
        let Brought { provided, heads, aside, machine_lost } = match brought {
            Ok(brought) => brought,
            Err(error) => return Err(self.unwoken(&idle, &slept, error).await),
        };
        // No await from here on: disk, event and note are stored together. The workspace may
        // have been destroyed meanwhile.
        let mut workspace = self.context.usable(id)?;
        let now_ms = self.context.now_ms();
        let mut woken = woken(open, &slept, &heads, aside, now_ms);
        if machine_lost {
            woken.message += MACHINE_LOST;
        }
        workspace.instance_id = Some(provided.instance);
        workspace.last_used_at_ms = now_ms;
        // An archive completed meanwhile has files of the previous disk.
        workspace.head_backup_id = slept.head_backup_id;
        workspace.head_seq = self.context.catalogue.newest_seq()?;
        // Save anew soon: another session's archive may go at any time, and no archive holds all
        // files of a partial restore.
        let mut saved = heads.is_empty() || workspace.head_backup_id.is_some();
        for head in &heads {
            saved &= self.context.catalogue.snapshot(&head.handle.id)?.is_some();
        }
        workspace.saved_at_ms = if saved { now_ms } else { 0 };
        self.context.catalogue.put_workspace(&workspace)?;
        self.context.catalogue.set_heads(id, &recorded)?;
        self.context.note_woken(id, woken, now_ms)
    }

    /// Ends the container of a failed wake: without files, it should not run on for hours, nor
    /// count for the quota. If this fails, the next wake reuses it.
    pub(crate) async fn unwoken(&self, idle: &Idle, slept: &Workspace, error: Error) -> Error {
        if idle.has(slept) && slept.kind != WorkspaceKind::Shared {
            let _ = self.containers.destroy(&slept.sandbox_id).await;
        }
        error
    }

    async fn bring_files(
        &self,
        open: &LoadedSession,
        sandbox: &dyn SandboxApi,
        recorded: &Heads,
        started: InstanceId,
        abort: &Abort,
    ) -> Result<Brought> {
        let mut provided = Provided { instance: started, made: Vec::new() };
        let (mut heads, mut aside): (Vec<Stored>, _) = (Vec::new(), None);
        let mut machine_lost = false;
        // The newest head has the latest machine. The machine comes first, into a container in
        // which nothing else has happened.
        let newest = recorded.as_slice().last().map(|head| head.backup_id.clone());
        for DirHead { backup_id, .. } in recorded.as_slice() {
            let machine = newest.as_ref().filter(|_| heads.is_empty());
            abort.check()?;
            let applying = self.apply_head(open, sandbox, backup_id, machine, &heads);
            let (result, head) = match abort.or_stopped(sandbox, backup_id, applying).await {
                Ok(applied) => applied,
                Err(error) if error.code == ErrorCode::Aborted => return Err(error),
                Err(error) if self.is_whole_by_now(open, backup_id, &error).await => {
                    return Err(unapplied_yet(backup_id, error));
                }
                Err(error) => return Err(unapplied(backup_id, error)),
            };
            provided.instance = result.instance_id;
            provided.made.push(AbsolutePath::parse("dir", head.handle.dir.as_str())?);
            heads.push(head);
            aside = aside.or(result.aside);
            machine_lost |= result.machine_lost;
        }
        self.containers.provision(open, sandbox, &provided).await?;
        Ok(Brought { provided, heads, aside, machine_lost })
    }

    async fn is_whole_by_now(&self, open: &LoadedSession, id: &BackupId, error: &Error) -> bool {
        if error.code != ErrorCode::SnapshotGone {
            return false;
        }
        let found = async {
            let Stored { handle, binding, size_bytes, chain, .. } =
                self.sources.find_head(open, id).await?;
            let own = Part { id: handle.id, size_bytes, sha256: String::new() };
            let bucket = self.context.ports.buckets.open(&binding)?;
            is_stored(bucket.as_ref(), &chain.with(own)).await
        };
        found.await.unwrap_or(false)
    }

    async fn apply_head(
        &self,
        open: &LoadedSession,
        sandbox: &dyn SandboxApi,
        id: &BackupId,
        machine_of: Option<&BackupId>,
        applied: &[Stored],
    ) -> Result<(RestoreBackupResult, Stored)> {
        let head = self.sources.find_head(open, id).await?;
        let machine = machine_of.and_then(|id| {
            let backup = StoredBackup { id: id.clone(), binding: head.binding.clone() };
            restore_machine(open, backup)
        });
        // Files that a lower head just restored there are not moved aside.
        let wake = !applied.iter().any(|below| below.handle.dir.covers(&head.handle.dir));
        let options = RestoreBackupOptions {
            binding: Some(head.binding.clone()),
            fresh_sandbox: true,
            lifetime_checked: true,
            wake,
            machine,
            ..RestoreBackupOptions::default()
        };
        let result = self.store.restore_stored(sandbox, head.handle.clone(), options).await?;
        Ok((result, head))
    }
}

impl Context {
    pub(crate) fn note_woken(&self, id: &SandboxId, woken: Woken, now_ms: i64) -> Result<()> {
        self.catalogue.set_unreported_wake(id, Some(&woken))?;
        let event = Event::WorkspaceWoken {
            sandbox_id: id.clone(),
            backup_id: woken.from_snapshot_id,
            age_seconds: woken.age_seconds,
            moved_aside: woken.moved_aside,
        };
        self.catalogue.add_event(now_ms, &event)
    }
}

/// No record says which of these existed: a container can also end without warning.
const OUTSIDE: &str = " Everything else in the container, such as installed packages and files in other directories, is gone too: install it again.";

const MACHINE_LOST: &str = " The bucket has lost what was saved of the rest of the container: its image is as it was built, without packages and files that were added later.";

/// Describes a wake from these archives: first the head, or the last archive if none is the head.
pub(crate) fn woken(
    open: &LoadedSession,
    slept: &Workspace,
    heads: &[Stored],
    aside: Option<String>,
    now_ms: i64,
) -> Woken {
    let is_head = |head: &&Stored| slept.head_backup_id.as_ref() == Some(&head.handle.id);
    let head = heads.iter().find(is_head).or(heads.last());
    let age_seconds = head.map(|head| now_ms.saturating_sub(head.created_at_ms).max(0) / 1_000);
    let mut message = match (head, age_seconds) {
        (Some(head), Some(age)) if slept.instance_id.is_none() => format!(
            "The workspace began with the files of snapshot {}, taken {} ({age} s ago).",
            head.handle.id,
            rfc3339(head.created_at_ms),
        ),
        (Some(head), Some(age)) if slept.paused_at_ms.is_some() => format!(
            "The workspace was paused, and has its files of {} ({age} s ago) again, from snapshot {}. Processes that ran in it are gone.",
            rfc3339(head.created_at_ms),
            head.handle.id,
        ),
        (Some(head), Some(age)) => format!(
            "The container had stopped, and the workspace woke with its files of {} ({age} s ago), from snapshot {}. Later changes and running processes are gone.",
            rfc3339(head.created_at_ms),
            head.handle.id,
        ),
        _ => "The workspace had no container, and no snapshot was left that it could wake with: it begins anew, with the image's own files. The list of snapshots has others.".to_owned(),
    };
    if let Some(head) = head.filter(|_| slept.head_backup_id.is_none()) {
        let dir = head.handle.dir.as_str();
        message += &format!(" Only {dir} was saved: other files of the workspace are gone.");
    }
    for other in
        heads.iter().filter(|other| head.is_none_or(|head| head.handle.id != other.handle.id))
    {
        let (dir, at) = (other.handle.dir.as_str(), rfc3339(other.created_at_ms));
        message += &format!(" Files of {dir} are from snapshot {}, taken {at}.", other.handle.id);
    }
    // The newest head has the machine, unless it comes from a session that does not persist it.
    let has_machine = heads.last().is_some_and(|head| head.machine.is_some());
    if slept.instance_id.is_some() && !(open.config.machine.is_some() && has_machine) {
        message += OUTSIDE;
    }
    if let Some(aside) = &aside {
        message += &format!(" The previous content of its directory was moved to {aside}.");
    }
    Woken {
        workspace: slept.to_ref(),
        from_snapshot_id: head.map(|head| head.handle.id.clone()),
        saved_at: head.map(|head| rfc3339(head.created_at_ms)),
        age_seconds,
        moved_aside: aside,
        message,
    }
}
