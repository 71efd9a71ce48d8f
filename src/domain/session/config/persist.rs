//! What a session's snapshots include.

use crate::domain::{Error, Result, WorkspaceConfig};
use serde::{Deserialize, Serialize};

/// Value of `persist`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Persist {
    /// The directory of the workspace.
    #[default]
    Workspace,
    /// Also all differences from the image outside that directory.
    Machine,
}

/// How a session persists the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineConfig {
    /// Whether the machine is restored even onto another image.
    pub force_image: bool,
}

impl WorkspaceConfig {
    pub(crate) fn machine(&self) -> Result<Option<MachineConfig>> {
        let persists = self.persist == Some(Persist::Machine);
        if !persists && self.force_image.is_some() {
            return Err(Error::invalid("forceImage", "needs persist: \"machine\""));
        }
        if persists && self.share_across_sessions {
            return Err(Error::invalid(
                "persist",
                "must be workspace in a sandbox that sessions share",
            ));
        }
        let dirs = [("workspaceDir", &self.workspace_dir), ("snapshotDir", &self.snapshot_dir)];
        for (field, dir) in dirs.into_iter().filter(|_| persists) {
            if dir.as_ref().is_some_and(|dir| dir.as_str().contains('\n')) {
                return Err(Error::invalid(
                    field,
                    "has a line end in it, which persist: \"machine\" excludes",
                ));
            }
        }
        Ok(persists.then(|| MachineConfig { force_image: self.force_image.unwrap_or(false) }))
    }
}
