//! Open a session, or confirm that it is open.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::session::config::{SessionConfig, WorkspaceConfig};
use crate::domain::session::event::Event;
use crate::domain::snapshot::backup::BackupDir;
use crate::domain::snapshot::refs::SnapshotSelector;
use crate::domain::workspace::heads::{DirHead, Heads};
use crate::domain::workspace::{Workspace, WorkspaceKind, WorkspaceState};
use crate::ports::log::{Level, LogLine};
use crate::session::Session;
use crate::session::SessionView;
use crate::session::autosave::Autosaver;
use crate::session::catalogue::SessionRow;
use crate::session::containers::Containers;
use crate::session::context::Context;
use crate::session::exec::script::loader_missing;
use crate::session::leases::Leases;
use serde_json::json;

parts!(Open { context: Context, containers: Containers, leases: Leases, autosaver: Autosaver });

impl Session {
    /// Opens the session. Starts no container.
    ///
    /// With `from`, the first open claims that snapshot for the first workspace;
    /// the first use restores its files.
    ///
    /// The first open sets the policy. A later open may change only `envVars`,
    /// `secrets`, credentials of buckets, `services`, `sleepAfter`, `autosave`, `destroyOnClose` and
    /// `forceImage`; fields that it leaves out stay as they are.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a bad config; `CONFLICT` for a changed policy, and
    /// while a destroying close goes on; `NOT_CONFIGURED` for scripts without their binding;
    /// the errors of a claim of `from`.
    pub async fn open(&self, config: WorkspaceConfig) -> Result<SessionView> {
        Open::from(self).open(config).await
    }
}

impl Open<'_> {
    pub async fn open(&self, config: WorkspaceConfig) -> Result<SessionView> {
        let before = self.context.catalogue.session()?;
        let whole = config.clone().over(before.as_ref().map(|before| &before.config))?;
        let checked = whole.check(&self.context.session, &self.context.settings.backup_bindings)?;
        if before.is_none() {
            whole.check_allowed_buckets(&self.context.settings.buckets)?;
            for mounted in checked.bucket_mounts.iter().filter(|it| it.mount.remote.is_none()) {
                // Fails now if the Worker lacks it.
                self.context.ports.buckets.open(&mounted.mount.bucket)?;
            }
        }
        if let (None, Some(shell)) = (self.context.catalogue.session()?, &checked.modules.shell) {
            shell.check_new()?;
        }
        if checked.modules.script.is_some() && !self.context.ports.isolates.are_available() {
            return Err(loader_missing());
        }
        let shared = checked.first_sandbox.is_shared();
        if shared {
            self.context.ports.log.write(LogLine::new(
                Level::Warn,
                "open.shared",
                json!({ "session": self.context.session, "sandboxId": checked.first_sandbox }),
            ));
        }
        let from = config.from.clone().filter(|_| !shared);
        let (Some(from), None) = (from, before) else {
            let open = self.put_opened(config, &checked, None, shared)?;
            self.autosaver.reschedule().await?;
            return Ok(open);
        };
        let first = &checked.first_sandbox;
        // What is borrowed for it is not given back as if nobody needed it.
        let borrowing = self.leases.borrowing.begin(first.clone());
        let open = match self.claim_whole(&checked, &from).await {
            Ok(claimed) => self.put_opened(config, &checked, Some(claimed), shared),
            Err(error) => Err(error),
        };
        drop(borrowing);
        self.leases.update_leases_of(first).await;
        open
    }

    /// Claims a snapshot that covers the whole workspace directory.
    async fn claim_whole(
        &self,
        checked: &SessionConfig,
        from: &SnapshotSelector,
    ) -> Result<DirHead> {
        let binding = &checked.backup_binding;
        let meta = self.leases.find_published(binding, from).await?;
        if !meta.dir.covers(&BackupDir::parse(checked.workspace_dir.as_str())?) {
            let (dir, workspace_dir) = (meta.dir.as_str(), checked.workspace_dir.as_str());
            let problem = format!("is of {dir}, and the workspace is {workspace_dir}");
            return Err(Error::invalid("from", problem));
        }
        let handle = self.leases.claim(binding, &meta, &checked.first_sandbox).await?;
        Ok(DirHead { backup_id: handle.id, dir: handle.dir })
    }

    /// Stores the open session. No await in here: the reads and writes commit together.
    fn put_opened(
        &self,
        config: WorkspaceConfig,
        checked: &SessionConfig,
        claimed: Option<DirHead>,
        shared: bool,
    ) -> Result<SessionView> {
        let now_ms = self.context.now_ms();
        let before = self.context.catalogue.session()?;
        // Another first open may have come first while this one claimed.
        let config = config.over(before.as_ref().map(|before| &before.config))?;
        if let Some(before) = &before {
            config.check_policy(&before.config)?;
        }
        let reopened = before.as_ref().is_none_or(|before| before.closed_at_ms.is_some());
        let active = before.as_ref().map_or_else(
            || checked.first_sandbox.clone(),
            |before| before.active_sandbox_id.clone(),
        );
        if active == checked.first_sandbox {
            self.put_first_workspace(checked, claimed.clone(), now_ms)?;
        }
        self.context.catalogue.put_session(&SessionRow {
            session_id: self.context.session.clone(),
            config,
            active_sandbox_id: active.clone(),
            opened_at_ms: before.as_ref().map_or(now_ms, |before| before.opened_at_ms),
            closed_at_ms: None,
        })?;
        if reopened {
            self.context
                .catalogue
                .add_event(now_ms, &Event::SessionOpened { sandbox_id: active.clone(), shared })?;
        }
        if let (None, Some(claimed)) = (before, claimed) {
            let backup_id = claimed.backup_id;
            let event = Event::WorkspaceClaimed { sandbox_id: active, backup_id };
            self.context.catalogue.add_event(now_ms, &event)?;
        }
        self.containers.configured.borrow_mut().clear();
        self.context.describe()
    }

    /// Creates the session's first workspace, or recreates it if a destroying close
    /// has ended it. Refuses while such a close is ending it.
    fn put_first_workspace(
        &self,
        config: &SessionConfig,
        claimed: Option<DirHead>,
        now_ms: i64,
    ) -> Result<()> {
        let known = self.context.catalogue.workspace(&config.first_sandbox)?;
        match known.map(|workspace| workspace.state) {
            None | Some(WorkspaceState::Destroyed) => {}
            Some(WorkspaceState::Destroying) => {
                return Err(Error::new(ErrorCode::Conflict, "the session is still being closed")
                    .with_hint("open it again in a moment"));
            }
            Some(WorkspaceState::Ready | WorkspaceState::Creating) => return Ok(()),
        }
        self.context.catalogue.set_heads(&config.first_sandbox, &Heads::of(claimed.clone()))?;
        let (whole, claimed) = match claimed {
            Some(DirHead { backup_id, dir }) => {
                (dir.covers(&config.saved_dirs.main), Some(backup_id))
            }
            None => (false, None),
        };
        // A wake of the destroyed workspace is not reported for the new one.
        self.context.catalogue.set_unreported_wake(&config.first_sandbox, None)?;
        self.context.catalogue.put_workspace(&Workspace {
            sandbox_id: config.first_sandbox.clone(),
            kind: if config.first_sandbox.is_shared() {
                WorkspaceKind::Shared
            } else {
                WorkspaceKind::Origin
            },
            state: WorkspaceState::Ready,
            instance_id: None,
            from_backup_id: claimed.clone(),
            made_from_backup_id: claimed.clone(),
            // Another session's archive may go at any time: it is saved anew soon.
            saved_at_ms: if claimed.is_some() { 0 } else { now_ms },
            head_backup_id: claimed.filter(|_| whole),
            // No archive begun earlier is of its files.
            head_seq: self.context.catalogue.newest_seq()?,
            created_at_ms: now_ms,
            last_used_at_ms: now_ms,
            paused_at_ms: None,
        })
    }
}
