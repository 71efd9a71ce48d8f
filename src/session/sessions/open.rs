//! Open a session, or confirm that it is open.

use crate::domain::pools::{TakeRequest, WarmContainer};
use crate::domain::session::config::PoolConfig;
use crate::domain::snapshot::archive::{check_sha256, recorded_sha256};
use crate::domain::{
    BackupDir, BackupMeta, DirHead, Error, ErrorCode, Event, Heads, Result, SandboxId,
    SessionConfig, SnapshotSelector, Workspace, WorkspaceConfig, WorkspaceKind, WorkspaceState,
};
use crate::ports::{Level, LogLine};
use crate::session::catalogue::SessionRow;
use crate::session::exec::script::loader_missing;
use crate::session::parts::snapshots::source::Stored;
use crate::session::parts::workspaces::ready::wake::woken;
use crate::session::parts::{Autosaver, Containers, Context, Leases};
use crate::session::{Session, SessionView};
use serde_json::json;

enum Found {
    Published(Box<BackupMeta>),
    SdkBackup(DirHead),
}

struct Claimed<'a> {
    head: DirHead,
    /// A container that has the files of this published snapshot already.
    warm: Option<(&'a WarmContainer, &'a BackupMeta)>,
}

parts!(Open { context: Context, containers: Containers, leases: Leases, autosaver: Autosaver });

impl Session {
    /// Opens the session. Starts no container. With `from`, the first open claims that snapshot
    /// (or, crossing, a backup of Sandbox SDK 1.0) for the first workspace, whose first use
    /// restores it. With `pool`, a warm container may have the files already.
    ///
    /// The first open sets the policy. A later open may change only what
    /// `domain::session::config::reopen` lists; fields that it leaves out stay as they are.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`; `CONFLICT` for a changed policy, and during a destroying close;
    /// `NOT_CONFIGURED` for scripts or a pool that the Worker lacks; the errors of a claim.
    pub async fn open(&self, config: WorkspaceConfig) -> Result<SessionView> {
        let parts = Open::from(self);
        let before = parts.context.catalogue.session()?;
        let whole = config.clone().over(before.as_ref().map(|before| &before.config))?;
        let checked =
            whole.check(&parts.context.session, &parts.context.settings.backup_bindings)?;
        match &before {
            None => parts.check_first_open(&whole, &checked)?,
            // The session keeps preview ports that it had, without a check.
            Some(before) if before.config.preview_ports != whole.preview_ports => {
                whole.check_previews(&checked.egress)?;
            }
            Some(_) => {}
        }
        let shared = checked.first_sandbox.is_shared();
        if shared {
            parts.context.ports.log.write(LogLine::new(
                Level::Warn,
                "open.shared",
                json!({ "session": parts.context.session, "sandboxId": checked.first_sandbox }),
            ));
        }
        let from = config.first_snapshot().map(|(field, from)| (field, from.clone()));
        let (Some(from), None) = (from.filter(|_| !shared), before) else {
            let open = parts.put_opened(config, &checked, None, shared)?;
            let configured = parts.containers.configure_running().await;
            parts.autosaver.reschedule().await?;
            return configured.map(|()| open);
        };
        let open = match parts.find_whole(&checked, &from).await? {
            Found::Published(meta) => parts.open_with(config, &checked, &meta).await?,
            Found::SdkBackup(head) => {
                let claimed = Claimed { head, warm: None };
                parts.put_opened(config, &checked, Some(claimed), shared)?
            }
        };
        // Running workspaces must be saved, and stopped when idle.
        parts.autosaver.reschedule().await?;
        Ok(open)
    }
}

impl Open<'_> {
    /// Checks the fields that only a first open sets: a session keeps them even if the operator or
    /// the Worker would refuse them by now.
    fn check_first_open(&self, config: &WorkspaceConfig, checked: &SessionConfig) -> Result<()> {
        self.context.check_pool(config.pool.as_ref())?;
        config.check_previews(&checked.egress)?;
        if checked.modules.script.is_some() && !self.context.ports.isolates.are_available() {
            return Err(loader_missing());
        }
        config.check_allowed_buckets(&self.context.settings.buckets)?;
        for mounted in checked.bucket_mounts.iter().filter(|it| it.mount.remote.is_none()) {
            // Fails now if the Worker lacks the bucket.
            self.context.ports.buckets.open(&mounted.mount.bucket)?;
        }
        checked.modules.shell.as_ref().map_or(Ok(()), |shell| shell.check_new())
    }

    async fn open_with(
        &self,
        config: WorkspaceConfig,
        checked: &SessionConfig,
        meta: &BackupMeta,
    ) -> Result<SessionView> {
        let warm = match &config.pool {
            Some(pool) => self.context.take_warm(checked, pool, meta).await,
            None => None,
        };
        let first = warm.as_ref().map_or(&checked.first_sandbox, |warm| &warm.sandbox);
        // While the workspace is marked as borrowing, its leases are not returned.
        let borrowing = self.leases.borrowing.begin(first.clone());
        let open = match self.leases.claim(&checked.backup_binding, meta, first).await {
            Ok(handle) => {
                let head = DirHead { backup_id: handle.id, dir: handle.dir };
                let claimed = Claimed { head, warm: warm.as_ref().map(|warm| (warm, meta)) };
                self.put_opened(config, checked, Some(claimed), false)
            }
            Err(error) => Err(error),
        };
        drop(borrowing);
        self.leases.update_leases_of(first).await;
        if let Some(warm) = &warm {
            self.context.discard_warm(warm).await;
        }
        open
    }

    /// Finds a snapshot or a backup that covers the whole workspace directory.
    async fn find_whole(
        &self,
        checked: &SessionConfig,
        (field, from): &(&'static str, SnapshotSelector),
    ) -> Result<Found> {
        let binding = &checked.backup_binding;
        let meta = match self.leases.find_published(binding, from).await {
            Ok(meta) => meta,
            // A pool serves sessions that may not cross, too.
            Err(refusal) if *field != "from" => return Err(refusal),
            Err(refusal) => {
                let crossed = self.cross_whole(checked, from).await?;
                return crossed.map(Found::SdkBackup).ok_or(refusal);
            }
        };
        check_covers(field, checked, &meta.dir)?;
        Ok(Found::Published(Box::new(meta)))
    }

    /// Finds a backup of Sandbox SDK 1.0, if the session may cross. The first use imports it.
    async fn cross_whole(
        &self,
        checked: &SessionConfig,
        from: &SnapshotSelector,
    ) -> Result<Option<DirHead>> {
        let (id, dir) = match from {
            SnapshotSelector::Ref(named) => (&named.payload.backup.id, &named.payload.backup.dir),
            SnapshotSelector::Id(id) => (id, &checked.snapshot_dir),
            _ => return Ok(None),
        };
        if !checked.modules.cross_session() {
            return Ok(None);
        }
        if self.context.find_unimported(&checked.backup_binding, from, id).await?.is_none() {
            return Ok(None);
        }
        check_sha256(recorded_sha256(from).as_deref())?;
        check_covers("from", checked, dir)?;
        self.context.note_crossing("open", Some(id.clone()), None)?;
        Ok(Some(DirHead { backup_id: id.clone(), dir: dir.clone() }))
    }

    /// Stores the open session. No await in here: the reads and writes commit together.
    fn put_opened(
        &self,
        config: WorkspaceConfig,
        checked: &SessionConfig,
        claimed: Option<Claimed<'_>>,
        shared: bool,
    ) -> Result<SessionView> {
        let now_ms = self.context.now_ms();
        let before = self.context.catalogue.session()?;
        // Another first open may have been stored while this one claimed.
        let config = config.over(before.as_ref().map(|before| &before.config))?;
        if let Some(before) = &before {
            config.check_policy(&before.config)?;
        }
        let reopened = before.as_ref().is_none_or(|before| before.closed_at_ms.is_some());
        let changed = reopened || before.as_ref().is_some_and(|before| before.config != config);
        let warm = claimed.as_ref().and_then(|claimed| claimed.warm);
        let first = warm.map_or(&checked.first_sandbox, |(warm, _)| &warm.sandbox);
        let active = before.as_ref().map_or(first, |before| &before.active_sandbox_id).clone();
        if active == *first {
            self.put_first_workspace(checked, first, claimed.as_ref(), now_ms)?;
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
            let backup_id = claimed.head.backup_id.clone();
            let event = Event::WorkspaceClaimed { sandbox_id: active.clone(), backup_id };
            self.context.catalogue.add_event(now_ms, &event)?;
            if let Some((_, meta)) = claimed.warm {
                self.note_woken(&active, meta, now_ms)?;
            }
        }
        if changed {
            self.containers.configured.borrow_mut().clear();
        }
        self.context.describe()
    }

    fn note_woken(&self, id: &SandboxId, meta: &BackupMeta, now_ms: i64) -> Result<()> {
        let (open, slept) = (self.context.load()?, self.context.usable(id)?);
        let slept = Workspace { instance_id: None, ..slept };
        let head = Stored::foreign(meta, open.config.backup_binding.clone())?;
        let woken = woken(&open, &slept, &[head], None, now_ms);
        self.context.note_woken(id, woken, now_ms)
    }

    /// Recreates the workspace if a destroying close has ended it. Refuses while one is ending it.
    fn put_first_workspace(
        &self,
        config: &SessionConfig,
        first: &SandboxId,
        claimed: Option<&Claimed<'_>>,
        now_ms: i64,
    ) -> Result<()> {
        let known = self.context.catalogue.workspace(first)?;
        match known.map(|workspace| workspace.state) {
            None | Some(WorkspaceState::Destroyed) => {}
            Some(WorkspaceState::Destroying) => {
                return Err(Error::new(ErrorCode::Conflict, "the session is still being closed")
                    .with_hint("open it again in a moment"));
            }
            Some(WorkspaceState::Ready | WorkspaceState::Creating) => return Ok(()),
        }
        let instance_id = claimed.and_then(|claimed| claimed.warm).map(|(warm, _)| &warm.instance);
        let claimed = claimed.map(|claimed| claimed.head.clone());
        self.context.catalogue.set_heads(first, &Heads::of(claimed.clone()))?;
        let (whole, claimed) = match claimed {
            Some(DirHead { backup_id, dir }) => {
                (dir.covers(&config.saved_dirs.main), Some(backup_id))
            }
            None => (false, None),
        };
        // A wake of the destroyed workspace is not reported for the new one, nor is a turn of it
        // undone there.
        self.context.catalogue.set_unreported_wake(first, None)?;
        self.context.catalogue.forget_turn_of(first)?;
        self.context.catalogue.put_workspace(&Workspace {
            sandbox_id: first.clone(),
            kind: if first.is_shared() { WorkspaceKind::Shared } else { WorkspaceKind::Origin },
            state: WorkspaceState::Ready,
            instance_id: instance_id.cloned(),
            from_backup_id: claimed.clone(),
            made_from_backup_id: claimed.clone(),
            // The other session may delete its archive at any time: save the files soon.
            saved_at_ms: if claimed.is_some() { 0 } else { now_ms },
            head_backup_id: claimed.filter(|_| whole),
            // No archive begun earlier has its files.
            head_seq: self.context.catalogue.newest_seq()?,
            created_at_ms: now_ms,
            last_used_at_ms: now_ms,
            paused_at_ms: None,
        })
    }
}

fn check_covers(field: &str, checked: &SessionConfig, dir: &BackupDir) -> Result<()> {
    if dir.covers(&BackupDir::parse(checked.workspace_dir.as_str())?) {
        return Ok(());
    }
    let (dir, workspace_dir) = (dir.as_str(), checked.workspace_dir.as_str());
    let problem =
        format!("the snapshot holds {dir}, but must hold {workspace_dir} or a directory above it");
    Err(Error::invalid(field, problem))
}

// The pool only saves time: whatever goes wrong with it, the session opens as with `from`.

impl Context {
    pub(crate) fn check_pool(&self, pool: Option<&PoolConfig>) -> Result<()> {
        if pool.is_none() || self.ports.pools.is_some() {
            return Ok(());
        }
        Err(Error::new(ErrorCode::NotConfigured, "the variable MAX_POOL_CONTAINERS is not set")
            .with_hint(
                "open with from instead of pool, or ask the operator to set MAX_POOL_CONTAINERS",
            ))
    }

    pub(crate) async fn take_warm(
        &self,
        checked: &SessionConfig,
        pool: &PoolConfig,
        meta: &BackupMeta,
    ) -> Option<WarmContainer> {
        let pools = self.ports.pools.as_ref()?;
        // The container must have the directories already, so that the open runs no command.
        if !checked.saved_dirs.are_in(&meta.dir) {
            return None;
        }
        let spec = checked.pool_of(meta.id.clone());
        let request = TakeRequest { spec, size: pool.size, session: self.session.clone() };
        match pools.take(&request).await {
            Ok(taken) => taken,
            Err(error) => {
                self.ports.log.write(LogLine::new(
                    Level::Warn,
                    "pool.unanswered",
                    json!({ "session": self.session, "code": error.code, "cause": error.cause }),
                ));
                None
            }
        }
    }

    pub(crate) async fn discard_warm(&self, taken: &WarmContainer) {
        let used = self.catalogue.workspace(&taken.sandbox);
        if !matches!(used, Ok(None)) {
            return;
        }
        // If this fails, the container stops by itself when idle.
        if let Ok(sandbox) = self.ports.sandboxes.get(&taken.sandbox) {
            let _ = sandbox.destroy().await;
        }
    }
}
