//! Containers of the session's workspaces: configure, find, release, destroy.

pub(crate) mod buckets;
pub(crate) mod services;

use crate::domain::limits::{RECOVER_AFTER_MS, SLEEP_AFTER_MAX_MS};
use crate::domain::{
    AbsolutePath, Event, InstanceId, Outcome, Result, SandboxId, Workspace, WorkspaceState,
};
use crate::ports::sandbox::{ConfigureOptions, FileOptions, SandboxApi};
use crate::session::parts::containers::buckets::Mounts;
use crate::session::parts::containers::services::Services;
use crate::session::parts::{
    Active, AutosaveState, Context, InFlight, LoadedSession, Schedule, WorkspaceLocks,
};
use futures::future::join_all;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

pub(crate) struct Provided {
    pub instance: InstanceId,
    pub made: Vec<AbsolutePath>,
}

/// The session's sandboxes, and which of them have its current configuration.
pub struct Containers {
    context: Rc<Context>,
    locks: Rc<WorkspaceLocks>,
    in_flight: Rc<InFlight>,
    autosave: Rc<AutosaveState>,
    pub(crate) configured: RefCell<BTreeSet<SandboxId>>,
    pub(crate) services: Services,
    pub(crate) mounts: Mounts,
    destroys: Cell<u64>,
}

impl Containers {
    pub(crate) fn new(
        context: Rc<Context>,
        locks: Rc<WorkspaceLocks>,
        in_flight: Rc<InFlight>,
        autosave: Rc<AutosaveState>,
    ) -> Self {
        let services = Services::new(context.clone());
        let mounts = Mounts::new(context.clone());
        let (configured, destroys) = (RefCell::default(), Cell::default());
        Self { context, locks, in_flight, autosave, configured, destroys, services, mounts }
    }

    /// None if it is paused, or no container runs with its files.
    pub(crate) async fn attached(&self, id: &SandboxId) -> Result<Option<Workspace>> {
        let sandbox = self.context.ports.sandboxes.get(id)?;
        let disk = sandbox.disk().await?;
        let row = self.context.usable(id)?;
        let runs = |row: &Workspace| disk.is_some() && disk == row.instance_id;
        Ok(Some(row).filter(|row| runs(row) && row.paused_at_ms.is_none()))
    }

    pub(crate) async fn runs_commands(&self, id: &SandboxId) -> Result<bool> {
        self.context.ports.sandboxes.get(id)?.runs_commands().await
    }

    /// Afterwards the sandbox has lost its configuration, perhaps even if this fails.
    pub(crate) async fn destroy(&self, id: &SandboxId) -> Result<()> {
        let destroyed = self.context.ports.sandboxes.get(id)?.destroy().await;
        self.configured.borrow_mut().remove(id);
        self.destroys.set(self.destroys.get() + 1);
        destroyed
    }

    /// Destroys a sandbox and records it, in an order that lets the alarm finish after any crash.
    pub(crate) async fn destroy_sandbox(&self, id: &SandboxId) -> Result<()> {
        let _working = self.in_flight.work_on(id.as_str());
        // The holder of the lock, such as a wake, may still start another container.
        let was_exclusive = self.locks.is_exclusive(id);
        let row = self.context.catalogue.workspace(id)?;
        if let Ok(loaded) = self.context.load() {
            let ttl_ms = self.context.retention_policy(&loaded)?.ttl.as_ms();
            self.context
                .catalogue
                .keep_for_destroyed(id, self.context.now_ms().saturating_add(ttl_ms))?;
        }
        self.context.catalogue.set_workspace_state(
            id,
            WorkspaceState::Destroying,
            self.context.now_ms(),
        )?;
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        self.destroy(id).await?;
        if was_exclusive || self.locks.is_exclusive(id) {
            let _exclusive = self.locks.exclusive_to_destroy(id).await?;
            self.destroy(id).await?;
        }
        self.services.forget(id);
        self.mounts.forget(id);
        self.context.catalogue.set_workspace_state(
            id,
            WorkspaceState::Destroyed,
            self.context.now_ms(),
        )?;
        self.context.catalogue.forget_retry(id.as_str())?;
        let used_since = row.as_ref().is_some_and(|row| self.autosave.is_used_since_save(row));
        let event = Event::WorkspaceDestroyed {
            sandbox_id: id.clone(),
            backup_id: row.and_then(|row| row.head_backup_id),
            used_since,
        };
        self.context.catalogue.add_event(self.context.now_ms(), &event)
    }

    pub(crate) async fn release(&self, id: &SandboxId) -> Result<()> {
        self.destroy(id).await?;
        self.autosave.failed.borrow_mut().remove(id);
        self.context.catalogue.set_unreleased(id, false)?;
        self.context.catalogue.forget_retry(id.as_str())
    }

    /// As [`Self::configured_sandbox`], before a container starts: a destroy may have removed the
    /// configuration. Without it, the container would reach the whole Internet.
    pub(crate) async fn sandbox_to_start(&self, id: &SandboxId) -> Result<Rc<dyn SandboxApi>> {
        self.configured.borrow_mut().remove(id);
        self.configured_sandbox(id).await
    }

    pub(crate) async fn configured_sandbox(&self, id: &SandboxId) -> Result<Rc<dyn SandboxApi>> {
        let sandbox = self.context.ports.sandboxes.get(id)?;
        while !self.configured.borrow().contains(id) {
            // The caller may have loaded the configuration before another open changed it.
            let loaded = self.context.load()?;
            let destroys = self.destroys.get();
            sandbox.configure(self.options(&loaded, id)).await?;
            // A destroy that ended meanwhile may have removed the configuration.
            let now = self.context.load()?.row;
            let is_current = now.config == loaded.row.config
                && now.closed_at_ms.is_some() == loaded.row.closed_at_ms.is_some()
                && self.destroys.get() == destroys;
            let mut configured = self.configured.borrow_mut();
            if is_current {
                configured.insert(id.clone());
            } else {
                // Another call may have configured the sandbox with a newer configuration.
                configured.remove(id);
            }
        }
        Ok(sandbox)
    }

    /// Containers of a closed session may still run: they get no secrets and no buckets.
    fn options(&self, loaded: &LoadedSession, id: &SandboxId) -> ConfigureOptions {
        let config = &loaded.config;
        // With a schedule, the host stops the workspace itself: the platform must not do so first.
        let saves = Schedule::now(loaded).is_some() && !id.is_shared();
        let sleep_after_ms = if saves { SLEEP_AFTER_MAX_MS } else { config.sleep_after.as_ms() };
        let (mut egress, mut mounts) = (config.egress.clone(), &config.bucket_mounts[..]);
        let is_closed = loaded.row.closed_at_ms.is_some();
        if is_closed {
            egress.secrets.clear();
            mounts = &[];
        }
        ConfigureOptions {
            sleep_after_ms: Some(sleep_after_ms),
            env_vars: Some(config.env_vars.clone()),
            enable_internet: None,
            egress: Some(egress),
            bucket_mounts: Some(mounts.iter().map(|mounted| mounted.mount.clone()).collect()),
            instance_type: config.instance_type.clone(),
            persist_machine: config.persist_machine(),
            session: Some(self.context.session.clone()),
            // Another session may use a shared sandbox by now, with its own configuration.
            only_of: (is_closed && id.is_shared()).then(|| self.context.session.clone()),
        }
    }

    /// After success, no container uses what an open has removed or a close takes away.
    pub(crate) async fn configure_running(&self) -> Result<()> {
        let mut rows = self.context.catalogue.live_workspaces()?;
        rows.retain(|row| {
            let begins = row.state == WorkspaceState::Creating
                || self.in_flight.is_worked_on(row.sandbox_id.as_str());
            row.state != WorkspaceState::Destroying && (begins || row.instance_id.is_some())
        });
        let configured = rows
            .iter()
            .map(|row| async { self.configured_sandbox(&row.sandbox_id).await.map(drop) });
        join_all(configured).await.into_iter().collect::<Result<()>>().map_err(|error| {
            error.with_outcome(Outcome::Committed).with_hint(
                "the call's changes are stored, but a running container may still use earlier secrets and credentials: call again",
            )
        })
    }

    /// Makes the workspace's directories, and moves away what a snapshot has under these names.
    /// Skips directories that a restore has made, and those above: each command costs time.
    pub(crate) async fn provision(
        &self,
        open: &LoadedSession,
        sandbox: &dyn SandboxApi,
        provided: &Provided,
    ) -> Result<()> {
        let options = || FileOptions {
            recursive: true,
            clear: true,
            instance_id: Some(provided.instance.clone()),
            ..FileOptions::default()
        };
        let workspace_dir = open.config.workspace_dir.clone();
        let snapshot_dir = AbsolutePath::parse("snapshotDir", open.config.snapshot_dir.as_str())?;
        let mut made = provided.made.clone();
        for dir in [workspace_dir, snapshot_dir] {
            if !made.iter().any(|made| made.is_at_or_under(dir.as_str())) {
                sandbox.mkdir(dir.clone(), options()).await?;
                made.push(dir);
            }
        }
        Ok(())
    }

    pub(crate) async fn start_services(&self, open: &LoadedSession, id: &SandboxId) {
        self.services.renew(id);
        if open.config.services.is_empty() && open.config.bucket_mounts.is_empty() {
            return;
        }
        if let Ok(Some(active)) = self.has_files(id).await {
            self.furnish(open, &active).await;
        }
    }

    /// Buckets come first, because services may use them.
    pub(crate) async fn furnish(&self, open: &LoadedSession, active: &Active) {
        self.mounts.mount(&open.config, active).await;
        self.services.start(open, active).await;
    }

    /// None unless its container runs with its files. The caller has the workspace exclusively.
    pub(crate) async fn has_files(&self, id: &SandboxId) -> Result<Option<Active>> {
        let sandbox = self.configured_sandbox(id).await?;
        let disk = sandbox.disk().await?;
        let workspace = self.context.usable(id)?;
        Ok(match &workspace.instance_id {
            Some(instance) if disk.as_ref() == Some(instance) => {
                let instance = instance.clone();
                Some(Active::without_lock(sandbox, workspace, instance))
            }
            _ => None,
        })
    }
}
