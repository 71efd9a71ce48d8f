//! Restore and branch: make a new workspace from a snapshot. The current one
//! is never touched.

use crate::domain::call::subject::Subject;
use crate::domain::error::{Error, Outcome, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::{RestoreKind, SandboxId};
use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::session::event::Event;
use crate::domain::snapshot::backup::BackupHandle;
use crate::domain::snapshot::gone;
use crate::domain::snapshot::refs::{SnapshotSelector, WorkspaceRef};
use crate::domain::workspace::layers::{Layer, Layers};
use crate::domain::workspace::{Workspace, WorkspaceKind, WorkspaceState};
use crate::ports::random::random_bytes;
use crate::ports::sandbox::{RestoreBackupOptions, StoredBackup};
use crate::session::in_use::InUseGuard;
use crate::session::quotas::Idle;
use crate::session::snapshots::locate::{Target, check_unexpired};
use crate::session::workspaces::ready::Provided;
use crate::session::{Abort, Host, LoadedSession};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The workspace that a restore or a branch made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct MadeWorkspace {
    /// Its ref.
    pub r#ref: WorkspaceRef,
}

/// The snapshot that a workspace is made from.
pub(crate) struct Source {
    pub handle: BackupHandle,
    pub binding: String,
    /// Whether it is this session's.
    pub own: bool,
}

impl Source {
    /// Where a sandbox finds it.
    pub fn stored(&self) -> StoredBackup {
        StoredBackup { id: self.handle.id.clone(), binding: self.binding.clone() }
    }
}

/// A new workspace that has its row, and nothing else yet.
pub(crate) struct Begun<'a> {
    workspace: Workspace,
    _working: InUseGuard<'a, String>,
}

impl Host {
    /// Makes a new workspace from a snapshot, of this session or published by
    /// another. Does not make it the active one.
    ///
    /// Order: alarm, `creating` row (which also marks the snapshot as being
    /// read), restore into a new sandbox, `ready` row. On any failure the new
    /// sandbox is destroyed and nothing else has changed.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED` for one of another session that is not published;
    /// `SNAPSHOT_EXPIRED`, `SNAPSHOT_GONE`,
    /// `QUOTA_EXCEEDED`, `INTEGRITY`, `RESTORE_FAILED`.
    pub async fn make_workspace(
        &self,
        kind: RestoreKind,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        abort: &Abort,
    ) -> Result<MadeWorkspace> {
        abort.check()?;
        let open = self.require_open()?.writable()?;
        open.require_snapshots()?;
        let id = self.new_workspace_id(&open, kind)?;
        // What is borrowed for it is not given back as if nobody needed it.
        let borrowing = self.borrowing.begin(id.clone());
        let named = (selector, allow_cross_session);
        let made = self.make_named(&open, kind, &id, named, abort).await;
        drop(borrowing);
        // Its own are recorded; of another session's, that session is told what has become of it.
        self.update_leases_of(&id).await;
        made
    }

    async fn make_named(
        &self,
        open: &LoadedSession,
        kind: RestoreKind,
        id: &SandboxId,
        (selector, allow_cross_session): (&SnapshotSelector, bool),
        abort: &Abort,
    ) -> Result<MadeWorkspace> {
        let operation = match kind {
            RestoreKind::Restored => "restore",
            RestoreKind::Branch => "branch",
        };
        let idle = self.find_idle(open).await?;
        if self.is_foreign(selector)? {
            // Before an owner is asked: what can't be made costs another session nothing.
            self.check_workspace_quota(open)?;
            self.check_running_quota(open, &idle, None)?;
        }
        let source = self.source(open, operation, id, selector, allow_cross_session).await?;
        abort.step("restoring the files into a new workspace")?;
        self.ports.alarm.schedule_by(self.now_ms() + RECOVER_AFTER_MS).await?;
        self.arm(open).await?;
        let begun = self.begin_workspace(open, &idle, kind, id.clone(), &source)?;
        abort.makes(&Subject::Workspace(id.clone()))?;
        self.finish_workspace(open, begun, &source, abort).await
    }

    /// The error of a call that made a workspace which could not become the
    /// active workspace: the session was closed meanwhile, say.
    #[must_use]
    pub fn unswitched(&self, made: &MadeWorkspace, error: Error) -> Error {
        match self.catalogue.workspace(made.r#ref.sandbox_id()) {
            Ok(Some(row)) if row.state == WorkspaceState::Ready => {}
            // Nor is there anything left of it.
            _ => return error,
        }
        let why = error.hint.map(|hint| format!("{hint}; then ")).unwrap_or_default();
        let mut error = Error::new(
            error.code,
            format!("the workspace was made, and is not the active one: {}", error.message),
        )
        .with_outcome(Outcome::Committed)
        .with_hint(format!("{why}switch to it with workspace_switch"))
        .with_details(json!({ "ref": made.r#ref }))
        .with_cause(error.cause.unwrap_or_default());
        // Another call would make another one.
        error.retryable = false;
        error
    }

    /// The id of a workspace that is about to be made.
    pub(crate) fn new_workspace_id(
        &self,
        open: &LoadedSession,
        kind: RestoreKind,
    ) -> Result<SandboxId> {
        let random = random_bytes(self.ports.random.as_ref())?;
        Ok(SandboxId::made(&open.config.origin, kind, random))
    }

    /// Writes the row of a new workspace. No await from its checks to the row: the quotas count
    /// it at once, and a delete of the snapshot now finds it being read.
    pub(crate) fn begin_workspace(
        &self,
        open: &LoadedSession,
        idle: &Idle,
        kind: RestoreKind,
        id: SandboxId,
        source: &Source,
    ) -> Result<Begun<'_>> {
        self.check_workspace_quota(open)?;
        self.check_running_quota(open, idle, None)?;
        if source.own {
            self.require_snapshot(&source.handle.id)?.restorable(self.now_ms())?;
        }
        let workspace = self.new_workspace(open, kind, id, source)?;
        self.catalogue.put_workspace(&workspace)?;
        let given = Layer { backup_id: source.handle.id.clone(), dir: source.handle.dir.clone() };
        self.catalogue.set_layers(&workspace.sandbox_id, &Layers::of(Some(given)))?;
        let _working = self.work_on(workspace.sandbox_id.as_str());
        Ok(Begun { workspace, _working })
    }

    /// Puts the files in place and makes the workspace ready, or undoes it.
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
            Ok(()) => {
                let backup_id = source.handle.id.clone();
                let event = match workspace.kind {
                    WorkspaceKind::Branch => Event::WorkspaceBranched { sandbox_id, backup_id },
                    _ => Event::WorkspaceRestored { sandbox_id, backup_id },
                };
                self.catalogue.put_workspace(&workspace)?;
                self.catalogue.add_event(self.now_ms(), &event)?;
                if workspace.saved_at_ms == 0 {
                    // The workspace is made, and the alarm comes by itself too, later.
                    let _ = self.ports.alarm.schedule_by(self.now_ms()).await;
                }
                Ok(MadeWorkspace { r#ref: workspace.to_ref() })
            }
            Err(error) => {
                if source.own {
                    self.check_missing(&source.handle.id, &error).await;
                }
                Err(self.undo_workspace(&sandbox_id, error).await)
            }
        }
    }

    /// The snapshot that `operation` is about, if it can be restored now. Another
    /// session's is borrowed for the workspace `borrower`.
    pub(crate) async fn source(
        &self,
        open: &LoadedSession,
        operation: &str,
        borrower: &SandboxId,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<Source> {
        let binding = open.config.backup_binding.clone();
        if !allow_cross_session && self.is_foreign(selector)? {
            let meta = self.find_published(&binding, selector).await?;
            let handle = self.claim(&binding, &meta, borrower).await?;
            return Ok(Source { handle, binding, own: false });
        }
        match self.locate(open, selector, allow_cross_session)? {
            Target::Own(snapshot) => Ok(Source {
                handle: snapshot.restorable(self.now_ms())?.clone(),
                binding: snapshot.binding,
                own: true,
            }),
            Target::Foreign(id) => {
                let meta = self
                    .cross_to(open, operation, selector, &id)
                    .await?
                    .ok_or_else(|| gone(&id, "is not in the bucket"))?;
                check_unexpired(&meta, self.now_ms())?;
                self.cross_by_lease(&binding, &meta, borrower).await?;
                Ok(Source { handle: meta.handle(), binding, own: false })
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
        let now_ms = self.now_ms();
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
            head_seq: self.catalogue.newest_seq()?,
            // Another session's archive may go at any time: it is saved anew soon. So is what no
            // archive holds whole.
            saved_at_ms: if source.own && whole { now_ms } else { 0 },
            created_at_ms: now_ms,
            last_used_at_ms: now_ms,
            paused_at_ms: None,
        })
    }

    /// Puts the snapshot's files into the new sandbox and fills in its row.
    async fn apply(
        &self,
        open: &LoadedSession,
        workspace: &mut Workspace,
        source: &Source,
        abort: &Abort,
    ) -> Result<()> {
        let sandbox = self.configured_sandbox(&workspace.sandbox_id).await?;
        abort.check()?;
        let options = RestoreBackupOptions {
            binding: Some(source.binding.clone()),
            fresh_sandbox: true,
            lifetime_checked: source.own,
            ..RestoreBackupOptions::default()
        };
        let result = self.restore_stored(sandbox.as_ref(), source.handle.clone(), options).await?;
        let restored = AbsolutePath::parse("dir", source.handle.dir.as_str())?;
        let provided = Provided { instance: result.instance_id, made: vec![restored] };
        self.provision(open, sandbox.as_ref(), &provided).await?;
        workspace.instance_id = Some(provided.instance);
        abort.check()?;
        workspace.state = WorkspaceState::Ready;
        workspace.last_used_at_ms = self.now_ms();
        Ok(())
    }

    /// Destroys a new workspace that failed. Where that fails too, its row stays
    /// `creating` and the alarm destroys it.
    async fn undo_workspace(&self, id: &SandboxId, error: Error) -> Error {
        let destroyed = match self.ports.sandboxes.get(id) {
            Ok(sandbox) => sandbox.destroy().await,
            Err(error) => Err(error),
        };
        self.configured.borrow_mut().remove(id);
        let event = Event::WorkspaceFailed { sandbox_id: id.clone(), code: error.code };
        let recorded = match destroyed {
            Ok(()) => {
                self.catalogue.set_workspace_state(id, WorkspaceState::Destroyed, self.now_ms())
            }
            Err(_left_to_the_alarm) => self.ports.alarm.schedule_by(self.now_ms()).await,
        }
        .and_then(|()| self.catalogue.add_event(self.now_ms(), &event));
        match recorded {
            // The workspace is gone, whatever the sandbox was not sure of.
            Ok(()) => error.with_outcome(Outcome::None),
            Err(second) => second,
        }
    }
}
