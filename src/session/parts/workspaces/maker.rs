//! Make a workspace from a snapshot: row, container and files.

use crate::domain::{
    AbsolutePath, DirHead, Error, Event, Heads, Outcome, RestoreKind, Result, SandboxId, Workspace,
    WorkspaceKind, WorkspaceState,
};
use crate::ports::random::random_bytes;
use crate::ports::sandbox::RestoreBackupOptions;
use crate::session::Abort;
use crate::session::parts::containers::Provided;
use crate::session::parts::quotas::Idle;
use crate::session::parts::snapshots::source::{Source, restore_machine};
use crate::session::parts::{
    Containers, Context, InFlight, InUseGuard, LoadedSession, MadeWorkspace, Quotas, SnapshotStore,
};
use std::rc::Rc;

pub(crate) struct Begun<'a> {
    workspace: Workspace,
    _working: InUseGuard<'a, String>,
}

/// Makes new workspaces: restores, branches and live forks.
pub struct Maker {
    context: Rc<Context>,
    in_flight: Rc<InFlight>,
    containers: Rc<Containers>,
    store: Rc<SnapshotStore>,
    quotas: Rc<Quotas>,
}

impl Maker {
    pub(crate) fn new(
        context: Rc<Context>,
        in_flight: Rc<InFlight>,
        containers: Rc<Containers>,
        store: Rc<SnapshotStore>,
        quotas: Rc<Quotas>,
    ) -> Self {
        Self { context, in_flight, containers, store, quotas }
    }

    pub(crate) fn new_workspace_id(
        &self,
        open: &LoadedSession,
        kind: RestoreKind,
    ) -> Result<SandboxId> {
        let random = random_bytes(self.context.ports.random.as_ref())?;
        Ok(SandboxId::made(&open.config.origin, kind, random))
    }

    /// Writes the row of a new workspace. No await from its checks to the row: the
    /// quotas count the row at once, and a delete of the snapshot finds it being read.
    pub(crate) fn begin_workspace(
        &self,
        open: &LoadedSession,
        idle: &Idle,
        kind: RestoreKind,
        id: SandboxId,
        source: &Source,
    ) -> Result<Begun<'_>> {
        self.quotas.check_workspace_quota(open)?;
        self.quotas.check_running_quota(open, idle, None)?;
        if source.own {
            self.context.require_snapshot(&source.handle.id)?.restorable(self.context.now_ms())?;
        }
        let workspace = self.new_workspace(open, kind, id, source)?;
        self.context.catalogue.put_workspace(&workspace)?;
        let given = DirHead { backup_id: source.handle.id.clone(), dir: source.handle.dir.clone() };
        self.context.catalogue.set_heads(&workspace.sandbox_id, &Heads::of(Some(given)))?;
        let _working = self.in_flight.work_on(workspace.sandbox_id.as_str());
        Ok(Begun { workspace, _working })
    }

    pub(crate) async fn finish_workspace(
        &self,
        open: &LoadedSession,
        begun: Begun<'_>,
        source: &Source,
        abort: &Abort,
    ) -> Result<MadeWorkspace> {
        let Begun { mut workspace, _working } = begun;
        let sandbox_id = workspace.sandbox_id.clone();
        match self.apply(open, &mut workspace, source, abort).await {
            Ok(machine_lost) => {
                let backup_id = source.handle.id.clone();
                let event = match workspace.kind {
                    WorkspaceKind::Branch => Event::WorkspaceBranched { sandbox_id, backup_id },
                    _ => Event::WorkspaceRestored { sandbox_id, backup_id },
                };
                self.context.catalogue.put_workspace(&workspace)?;
                self.context.catalogue.add_event(self.context.now_ms(), &event)?;
                if workspace.saved_at_ms == 0 {
                    // The workspace is made; if this fails, the alarm still comes later.
                    let _ = self.context.ports.alarm.schedule_by(self.context.now_ms()).await;
                }
                self.containers.start_services(open, &workspace.sandbox_id).await;
                let (r#ref, turn) = (workspace.to_ref(), source.turn.clone());
                Ok(MadeWorkspace { r#ref, turn, machine_lost })
            }
            Err(error) => {
                if source.own {
                    self.store.check_missing(&source.handle.id, &error).await;
                }
                Err(self.undo_workspace(&sandbox_id, error).await)
            }
        }
    }

    fn new_workspace(
        &self,
        open: &LoadedSession,
        kind: RestoreKind,
        sandbox_id: SandboxId,
        source: &Source,
    ) -> Result<Workspace> {
        let now_ms = self.context.now_ms();
        let whole = source.handle.dir.covers(&open.config.saved_dirs.main);
        Ok(Workspace {
            sandbox_id,
            kind: match kind {
                RestoreKind::Restored => WorkspaceKind::Restored,
                RestoreKind::Branch => WorkspaceKind::Branch,
            },
            state: WorkspaceState::Creating,
            instance_id: None,
            from_backup_id: Some(source.handle.id.clone()),
            made_from_backup_id: Some(source.handle.id.clone()),
            head_backup_id: whole.then(|| source.handle.id.clone()),
            head_seq: self.context.catalogue.newest_seq()?,
            // Save anew soon: another session's archive may go at any time, and no archive holds
            // all files of a partial restore.
            saved_at_ms: if source.own && whole { now_ms } else { 0 },
            created_at_ms: now_ms,
            last_used_at_ms: now_ms,
            paused_at_ms: None,
        })
    }

    /// Returns whether the bucket has lost the machine.
    async fn apply(
        &self,
        open: &LoadedSession,
        workspace: &mut Workspace,
        source: &Source,
        abort: &Abort,
    ) -> Result<bool> {
        let sandbox = self.containers.configured_sandbox(&workspace.sandbox_id).await?;
        abort.check()?;
        let options = RestoreBackupOptions {
            binding: Some(source.binding.clone()),
            fresh_sandbox: true,
            lifetime_checked: source.own,
            machine: restore_machine(open, source.stored()),
            ..RestoreBackupOptions::default()
        };
        let restoring = self.store.restore_stored(sandbox.as_ref(), source.handle.clone(), options);
        let result = abort.or_stopped(sandbox.as_ref(), &source.handle.id, restoring).await?;
        let restored = AbsolutePath::parse("dir", source.handle.dir.as_str())?;
        let provided = Provided { instance: result.instance_id, made: vec![restored] };
        self.containers.provision(open, sandbox.as_ref(), &provided).await?;
        workspace.instance_id = Some(provided.instance);
        abort.check()?;
        workspace.state = WorkspaceState::Ready;
        workspace.last_used_at_ms = self.context.now_ms();
        Ok(result.machine_lost)
    }

    /// If this fails, too, the row stays `creating`, and the alarm destroys the workspace.
    async fn undo_workspace(&self, id: &SandboxId, error: Error) -> Error {
        let destroyed = self.containers.destroy(id).await;
        let event = Event::WorkspaceFailed { sandbox_id: id.clone(), code: error.code };
        let recorded = match destroyed {
            Ok(()) => self.context.catalogue.set_workspace_state(
                id,
                WorkspaceState::Destroyed,
                self.context.now_ms(),
            ),
            Err(_left_to_the_alarm) => {
                self.context.ports.alarm.schedule_by(self.context.now_ms()).await
            }
        }
        .and_then(|()| self.context.catalogue.add_event(self.context.now_ms(), &event));
        match recorded {
            // The workspace is gone, even if the sandbox did not know its outcome.
            Ok(()) => error.with_outcome(Outcome::None),
            Err(second) => second,
        }
    }
}
