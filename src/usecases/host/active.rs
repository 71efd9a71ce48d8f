//! The workspace that tools act on, ready to be used.

use super::{Host, Opened};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{InstanceId, SandboxId};
use crate::domain::path::AbsolutePath;
use crate::domain::workspace::{Workspace, WorkspaceState};
use crate::ports::sandbox::{ConfigureOptions, FileOptions, SandboxApi};
use std::rc::Rc;

/// The active workspace and the disk its files are on.
pub(super) struct Active {
    pub sandbox: Rc<dyn SandboxApi>,
    pub workspace: Workspace,
    pub instance: InstanceId,
}

impl Host {
    /// The active workspace. Its first use starts its container and makes its
    /// directory; every later use carries the recorded instance, by which the
    /// sandbox refuses with `WORKSPACE_LOST` where the disk is another one.
    pub(super) async fn active(&self, opened: &Opened) -> Result<Active> {
        let id = &opened.row.active_sandbox_id;
        let workspace = self
            .catalogue
            .workspace(id)?
            .filter(|workspace| workspace.state == WorkspaceState::Ready)
            .ok_or_else(|| Error::internal(format!("active workspace {id} is not ready")))?;
        let sandbox = self.configured_sandbox(opened, id).await?;
        let instance = match &workspace.instance_id {
            Some(instance) => instance.clone(),
            None => {
                let idle = self.find_idle(opened).await?;
                self.check_running_quota(opened, &idle, Some(id))?;
                let _starting = self.work_on(id.as_str());
                let instance = self.provision(opened, sandbox.as_ref(), None).await?;
                self.catalogue.set_instance(id, Some(&instance))?;
                instance
            }
        };
        self.catalogue.touch_workspace(id, self.now_ms())?;
        Ok(Active { sandbox, workspace, instance })
    }

    /// A sandbox that has this session's current configuration.
    pub(super) async fn configured_sandbox(
        &self,
        opened: &Opened,
        id: &SandboxId,
    ) -> Result<Rc<dyn SandboxApi>> {
        let sandbox = self.ports.sandboxes.get(id)?;
        if !self.configured.borrow().contains(id) {
            let config = &opened.config;
            let options = ConfigureOptions {
                sleep_after_ms: Some(config.sleep_after.as_ms()),
                env_vars: Some(config.env_vars.clone()),
                enable_internet: Some(config.enable_internet),
                instance_type: config.instance_type.clone(),
            };
            sandbox.configure(options).await?;
            self.configured.borrow_mut().insert(id.clone());
        }
        Ok(sandbox)
    }

    /// Starts a container and makes the directories of an empty workspace.
    ///
    /// A restore of `restored` has made that one and those above it: each
    /// command costs, and these are none that need one.
    pub(super) async fn provision(
        &self,
        opened: &Opened,
        sandbox: &dyn SandboxApi,
        restored: Option<&AbsolutePath>,
    ) -> Result<InstanceId> {
        let instance = sandbox.ensure_running().await?;
        let options = || FileOptions {
            recursive: true,
            instance_id: Some(instance.clone()),
            ..FileOptions::default()
        };
        let workspace_dir = opened.config.workspace_dir.clone();
        let snapshot_dir = AbsolutePath::parse("snapshotDir", opened.config.snapshot_dir.as_str())?;
        let mut made: Vec<AbsolutePath> = restored.into_iter().cloned().collect();
        for dir in [workspace_dir, snapshot_dir] {
            if !made.iter().any(|made| made.is_at_or_under(dir.as_str())) {
                sandbox.mkdir(dir.clone(), options()).await?;
                made.push(dir);
            }
        }
        Ok(instance)
    }
}
