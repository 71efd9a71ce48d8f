//! The warm pool for a session's first workspace.

use crate::domain::limits::POOL_SIZE_MAX;
use crate::domain::pools::PoolSpec;
use crate::domain::{BackupId, Error, Result, SessionConfig, SnapshotSelector, WorkspaceConfig};
use serde::{Deserialize, Serialize};

/// Containers that are kept started, with the files of a published snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PoolConfig {
    /// The published snapshot: its ref or id.
    pub from: SnapshotSelector,
    /// How many containers the pool keeps for the next sessions. The last open decides for all
    /// sessions that share the pool.
    #[cfg_attr(schemas, schemars(range(min = 1, max = POOL_SIZE_MAX)))]
    pub size: u32,
}

impl WorkspaceConfig {
    /// The snapshot with which the first workspace begins, and the field that names it.
    #[must_use]
    pub fn first_snapshot(&self) -> Option<(&'static str, &SnapshotSelector)> {
        match &self.pool {
            Some(pool) => Some(("pool.from", &pool.from)),
            None => self.from.as_ref().map(|from| ("from", from)),
        }
    }

    /// Neither field can be a name or turn: before its first open, a session has no snapshots.
    pub(super) fn check_first_snapshot(&self) -> Result<()> {
        if self.pool.is_some() && self.from.is_some() {
            return Err(Error::invalid("from", "can't be combined with pool; leave one out"));
        }
        if let Some(pool) = &self.pool
            && !(1..=POOL_SIZE_MAX).contains(&pool.size)
        {
            return Err(Error::invalid("pool.size", format!("must be 1 to {POOL_SIZE_MAX}")));
        }
        match self.first_snapshot() {
            Some((field, SnapshotSelector::Name(_) | SnapshotSelector::Turn(_))) => {
                Err(Error::invalid(field, "must be a SnapshotRef or a snapshot's id"))
            }
            Some((field, _)) if self.id.is_some() && self.share_across_sessions => {
                Err(Error::invalid(field, "is not for a sandbox that sessions share"))
            }
            _ => Ok(()),
        }
    }
}

impl SessionConfig {
    /// The pool whose containers fit this session.
    #[must_use]
    pub fn pool_of(&self, backup_id: BackupId) -> PoolSpec {
        PoolSpec {
            binding: self.backup_binding.clone(),
            backup_id,
            internet: self.egress.is_open(),
            instance_type: self.instance_type.clone(),
            persist_machine: self.persist_machine(),
            force_image: self.machine.is_some_and(|machine| machine.force_image),
        }
    }
}
