//! Destroy a workspace that is not active.

use super::Host;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::event::Event;
use crate::domain::ids::SandboxId;
use crate::domain::limits::SETTLE_AFTER_MS;
use crate::domain::refs::WorkspaceRef;
use crate::domain::workspace::{WorkspaceKind, WorkspaceState, not_owned_workspace};
use serde::Serialize;

/// The answer to a destroy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Destroyed {
    /// Always true: destroying what is gone succeeds.
    pub destroyed: bool,
}

impl Host {
    /// Destroys a workspace and its container. Snapshots taken from it are
    /// kept. Destroying one that is gone succeeds.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_OWNED`; `CONFLICT` for the active, a shared, or an
    /// unfinished workspace.
    pub async fn destroy_workspace(&self, named: &WorkspaceRef) -> Result<()> {
        self.opened()?;
        self.ports.alarm.wake_by(self.now_ms() + SETTLE_AFTER_MS).await?;
        // No await from here to the row.
        let opened = self.opened()?.writable()?;
        let id = named.sandbox_id();
        let workspace = self.catalogue.workspace(id)?.ok_or_else(not_owned_workspace)?;
        let conflict = |message: &str, hint: &str| {
            Err(Error::new(ErrorCode::Conflict, message).with_hint(hint))
        };
        if workspace.kind == WorkspaceKind::Shared {
            return conflict(
                "a shared workspace is not one session's to destroy",
                "it stops by itself when idle",
            );
        }
        if id == &opened.row.active_sandbox_id {
            return conflict(
                "the active workspace cannot be destroyed",
                "switch to another one first",
            );
        }
        match workspace.state {
            WorkspaceState::Destroyed => Ok(()),
            WorkspaceState::Creating => {
                conflict("the workspace is still being made", "wait for the restore that makes it")
            }
            WorkspaceState::Ready | WorkspaceState::Destroying => self.destroy_sandbox(id).await,
        }
    }

    /// Destroys a sandbox of this session and records it, in an order that a
    /// crash at any point leaves to the alarm.
    pub(super) async fn destroy_sandbox(&self, id: &SandboxId) -> Result<()> {
        let _working = self.work_on(id.as_str());
        // By a wake, say, which may start another container yet.
        let was_held = self.gates.is_held(id);
        self.catalogue.set_workspace_state(id, WorkspaceState::Destroying)?;
        self.ports.alarm.wake_by(self.now_ms() + SETTLE_AFTER_MS).await?;
        let sandbox = self.ports.sandboxes.get(id)?;
        sandbox.destroy().await?;
        if was_held || self.gates.is_held(id) {
            let _alone = self.gates.alone(id).await;
            sandbox.destroy().await?;
        }
        self.configured.borrow_mut().remove(id);
        self.catalogue.set_workspace_state(id, WorkspaceState::Destroyed)?;
        self.catalogue.forget_retry(id.as_str())?;
        self.catalogue
            .add_event(self.now_ms(), &Event::WorkspaceDestroyed { sandbox_id: id.clone() })
    }
}
