//! The workspace that tools act on, ready to be used.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::{InstanceId, SandboxId};
use crate::domain::limits::SLEEP_AFTER_MAX_MS;
use crate::domain::workspace::{Workspace, WorkspaceState, lost, paused};
use crate::ports::sandbox::{ConfigureOptions, FileOptions, SandboxApi};
use crate::session::autosave::schedule::Schedule;
use crate::session::locks::SharedGuard;
use crate::session::{Host, LoadedSession};
use std::rc::Rc;

/// How often a call brings up a workspace whose container ends at once again.
pub(crate) const BRING_UP_ATTEMPTS: u32 = 3;

/// A workspace and the disk its files are on. It stays in use until dropped.
pub(crate) struct Active {
    pub sandbox: Rc<dyn SandboxApi>,
    pub workspace: Workspace,
    pub instance: InstanceId,
    _shared: Option<SharedGuard>,
}

impl Active {
    /// One whose use is none of its session's: it keeps no container running.
    pub(crate) fn without_lock(
        sandbox: Rc<dyn SandboxApi>,
        workspace: Workspace,
        instance: InstanceId,
    ) -> Self {
        Self { sandbox, workspace, instance, _shared: None }
    }
}

/// A disk, and the directories of it that restores have made.
pub(crate) struct Provided {
    pub instance: InstanceId,
    pub made: Vec<AbsolutePath>,
}

impl Host {
    /// The active workspace, in a container that has its files: the first use
    /// starts one, and one that has lost them is woken first. Refused while it is
    /// paused.
    ///
    /// Each call on it carries the disk it is recorded with, by which the
    /// sandbox refuses with `WORKSPACE_LOST` where the disk is another one by then.
    pub(crate) async fn active(&self, open: &LoadedSession) -> Result<Active> {
        self.ready(open, &open.row.active_sandbox_id).await
    }

    pub(crate) async fn ready(&self, open: &LoadedSession, id: &SandboxId) -> Result<Active> {
        for _ in 0..BRING_UP_ATTEMPTS {
            let shared = self.locks.shared(id).await;
            // Nothing pauses it while this call is in.
            self.unpaused(id)?;
            if let Some(left) = self.catalogue.running_rewind(id)? {
                // A call that finishes it would hold the workspace exclusively: none does.
                drop(shared);
                self.complete_rewind(&left).await?;
                continue;
            }
            let sandbox = self.configured_sandbox(id).await?;
            let workspace = self.usable(id)?;
            if let Some(instance) = workspace.instance_id.clone()
                && sandbox.disk().await?.as_ref() == Some(&instance)
            {
                self.arm(open).await?;
                self.catalogue.touch_workspace(id, self.now_ms())?;
                return Ok(Active { sandbox, workspace, instance, _shared: Some(shared) });
            }
            drop(shared);
            self.bring_up(open, &workspace).await?;
        }
        Err(lost())
    }

    /// Has the alarm look at what is used from now on. It goes on by itself.
    pub(crate) async fn arm(&self, open: &LoadedSession) -> Result<()> {
        let Some(schedule) = Schedule::of(&open.config) else { return Ok(()) };
        if !self.armed.replace(true) {
            let armed = self.ports.alarm.schedule_by(self.now_ms() + schedule.soonest_ms()).await;
            self.armed.set(armed.is_ok());
            armed?;
        }
        Ok(())
    }

    /// Gives a workspace a container with its files; once for all who ask.
    async fn bring_up(&self, open: &LoadedSession, seen: &Workspace) -> Result<()> {
        let id = &seen.sandbox_id;
        let _exclusive = self.locks.exclusive(id).await;
        let workspace = self.unpaused(id)?;
        if workspace.instance_id != seen.instance_id {
            // Another caller has just done it.
            return Ok(());
        }
        self.bring_up_exclusively(open, workspace).await?;
        self.forget_unsaved(open, id).await
    }

    /// The same for whoever has the workspace to himself.
    pub(crate) async fn bring_up_exclusively(
        &self,
        open: &LoadedSession,
        workspace: Workspace,
    ) -> Result<()> {
        // One that began with another session's files has them to wake from before it has a disk.
        let id = &workspace.sandbox_id;
        if workspace.instance_id.is_some() || !self.catalogue.layers(id)?.as_slice().is_empty() {
            return self.wake_workspace(open, workspace).await;
        }
        let idle = self.find_idle(open).await?;
        self.check_running_quota(open, &idle, Some(id))?;
        let _starting = self.work_on(id.as_str());
        // Before there is a container: the platform is not to stop it for hours.
        self.arm(open).await?;
        let sandbox = self.configured_sandbox(id).await?;
        let provided = Provided { instance: sandbox.ensure_running().await?, made: Vec::new() };
        self.provision(open, sandbox.as_ref(), &provided).await?;
        self.catalogue.set_instance(id, Some(&provided.instance), self.now_ms())
    }

    /// The row of a workspace that can be used.
    pub(crate) fn usable(&self, id: &SandboxId) -> Result<Workspace> {
        let workspace = self.catalogue.workspace(id)?;
        let workspace = workspace
            .ok_or_else(|| Error::internal(format!("workspace {id} in use has no row")))?;
        if workspace.state == WorkspaceState::Ready {
            return Ok(workspace);
        }
        Err(Error::new(
            ErrorCode::Conflict,
            format!("workspace {id} is {}", workspace.state.as_str()),
        )
        .with_hint("use another one of this session: workspace_switch"))
    }

    /// The same, unless it is paused.
    pub(crate) fn unpaused(&self, id: &SandboxId) -> Result<Workspace> {
        let workspace = self.usable(id)?;
        if workspace.paused_at_ms.is_some() { Err(paused(id)) } else { Ok(workspace) }
    }

    /// A sandbox that has this session's current configuration.
    pub(crate) async fn configured_sandbox(&self, id: &SandboxId) -> Result<Rc<dyn SandboxApi>> {
        let sandbox = self.ports.sandboxes.get(id)?;
        while !self.configured.borrow().contains(id) {
            // The caller may have looked before the session was opened with another one.
            let loaded = self.load()?;
            let config = &loaded.config;
            // Where the host saves and stops it by itself, the platform is not to come before.
            let saves = Schedule::of(config).is_some() && !id.is_shared();
            let sleep_after_ms =
                if saves { SLEEP_AFTER_MAX_MS } else { config.sleep_after.as_ms() };
            let options = ConfigureOptions {
                sleep_after_ms: Some(sleep_after_ms),
                env_vars: Some(config.env_vars.clone()),
                enable_internet: Some(config.enable_internet),
                instance_type: config.instance_type.clone(),
            };
            sandbox.configure(options).await?;
            let is_current = self.load()?.row.config == loaded.row.config;
            let mut configured = self.configured.borrow_mut();
            if is_current {
                configured.insert(id.clone());
            } else {
                // Another call may have come before this one with the new one.
                configured.remove(id);
            }
        }
        Ok(sandbox)
    }

    /// Makes the directories of a workspace on a disk.
    ///
    /// A restore has made one and those above it: each command costs, and these
    /// are none that need one.
    pub(crate) async fn provision(
        &self,
        open: &LoadedSession,
        sandbox: &dyn SandboxApi,
        provided: &Provided,
    ) -> Result<()> {
        let options = || FileOptions {
            recursive: true,
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
}
