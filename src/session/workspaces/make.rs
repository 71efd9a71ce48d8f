//! Restore and branch: make a new workspace from a snapshot. The active
//! workspace is never touched.

use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::{
    Error, Next, Outcome, RestoreKind, Result, SandboxId, SnapshotSelector, Subject, WorkspaceState,
};
use crate::session::parts::{
    AutosaveState, CleanSandboxes, Context, Leases, LoadedSession, MadeWorkspace, Maker, Quotas,
    Saver, SnapshotStore, Sources,
};
use crate::session::snapshots::archives::import::Import;
use crate::session::{Abort, Session};
use serde_json::json;

parts!(Make {
    context: Context,
    autosave: AutosaveState,
    leases: Leases,
    quotas: Quotas,
    sources: Sources,
    maker: Maker,
    store: SnapshotStore,
    saver: Saver,
    clean: CleanSandboxes,
});

impl Session {
    /// Makes a new workspace from a snapshot, of this session or published by
    /// another. Does not make it the active one.
    pub async fn make_workspace(
        &self,
        kind: RestoreKind,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        abort: &Abort,
    ) -> Result<MadeWorkspace> {
        Make::from(self).make_workspace(kind, selector, allow_cross_session, abort).await
    }

    /// The error of a call that made a workspace which could not become the active workspace: for
    /// example because the session was closed meanwhile.
    pub fn unswitched(&self, made: &MadeWorkspace, error: Error) -> Error {
        Make::from(self).unswitched(made, error)
    }
}

impl Make<'_> {
    /// Makes a new workspace from a snapshot, of this session or published by
    /// another. Does not make it the active one.
    ///
    /// Order: alarm, `creating` row (which also marks the snapshot as being
    /// read), restore into a new sandbox, `ready` row. On any failure the new
    /// sandbox is destroyed and nothing else has changed.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED` for another session's snapshot that is not published;
    /// `SNAPSHOT_EXPIRED`, `SNAPSHOT_GONE`, `QUOTA_EXCEEDED`, `INTEGRITY`,
    /// `RESTORE_FAILED`.
    pub async fn make_workspace(
        &self,
        kind: RestoreKind,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        abort: &Abort,
    ) -> Result<MadeWorkspace> {
        abort.check()?;
        let open = self.context.require_open()?.writable()?;
        open.require_snapshots()?;
        let id = self.maker.new_workspace_id(&open, kind)?;
        // Keeps the leases of the new workspace, which needs them.
        let borrowing = self.leases.borrowing.begin(id.clone());
        let named = (selector, allow_cross_session);
        let made = self.make_named(&open, kind, &id, named, abort).await;
        drop(borrowing);
        // Renews or returns a lease on another session's snapshot with its owner.
        self.leases.update_leases_of(&id).await;
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
        let idle = self.quotas.find_idle(open).await?;
        if self.context.is_foreign(selector)? {
            // Check before asking an owner: a refused call then costs other sessions nothing.
            self.quotas.check_workspace_quota(open)?;
            self.quotas.check_running_quota(open, &idle, None)?;
        }
        let import = Import {
            context: self.context,
            store: self.store,
            saver: self.saver,
            clean: self.clean,
        };
        let imported = import.import_sdk_backup(open, selector, allow_cross_session, abort).await?;
        let (selector, allow_cross_session) =
            imported.as_ref().map_or((selector, allow_cross_session), |own| (own, false));
        let source =
            self.sources.source(open, operation, id, selector, allow_cross_session).await?;
        abort.step("restoring the files into a new workspace")?;
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        self.autosave.schedule(open).await?;
        let begun = self.maker.begin_workspace(open, &idle, kind, id.clone(), &source)?;
        abort.makes(&Subject::Made(id.clone()))?;
        self.maker.finish_workspace(open, begun, &source, abort).await
    }

    /// The error of a call that made a workspace which could not become the active workspace: for
    /// example because the session was closed meanwhile.
    #[must_use]
    pub fn unswitched(&self, made: &MadeWorkspace, error: Error) -> Error {
        match self.context.catalogue.workspace(made.r#ref.sandbox_id()) {
            Ok(Some(row)) if row.state == WorkspaceState::Ready => {}
            // The workspace is gone, too.
            _ => return error,
        }
        let message = format!("the workspace was made, but is not active: {}", error.message);
        // A retry would make another workspace.
        Error { message, retryable: false, ..error }
            .and_then(Next::Switch)
            .with_outcome(Outcome::Committed)
            .with_details(json!({ "ref": made.r#ref }))
    }
}
