//! Check whether the retention policy has room for another snapshot.

use crate::domain::snapshot::retention::Exceeded;
use crate::domain::{BackupId, Error, ErrorCode, Result, Workspace};
use crate::session::parts::{LoadedSession, SnapshotStore};
use serde_json::json;

impl SnapshotStore {
    pub(crate) fn check_interval(&self, open: &LoadedSession) -> Result<()> {
        let policy = self.context.retention_policy(open)?;
        let now_ms = self.context.now_ms();
        if let Some(wait_ms) = policy.wait_ms(self.context.catalogue.last_asked_ms()?, now_ms) {
            return Err(Error::new(
                ErrorCode::RateLimited,
                format!(
                    "this session may take a snapshot every {} s",
                    policy.min_interval_ms / 1_000
                ),
            )
            .with_hint("take it later, or name or label the previous snapshot instead")
            .with_details(json!({ "retryAfterMs": wait_ms })));
        }
        Ok(())
    }

    /// Synchronous, so that the check still holds when the caller inserts the row.
    pub(crate) fn check_room(&self, open: &LoadedSession, workspace: &Workspace) -> Result<()> {
        let policy = self.context.retention_policy(open)?;
        let now_ms = self.context.now_ms();
        if policy.max_count.is_none() && policy.max_bytes.is_none() {
            return Ok(());
        }
        // A snapshot that only another session needs is no reason to refuse.
        let mut in_use = self.in_flight.snapshots_in_own_use()?;
        if let Some(head) = self.released_head(open, workspace)? {
            in_use.remove(&head);
        }
        let kept = self.context.catalogue.protected(&in_use, now_ms)?;
        // The new snapshot's size is unknown, but not zero.
        let exceeded = if policy.max_count.is_some_and(|max| kept.count >= u64::from(max)) {
            Exceeded::MaxCount
        } else if policy.max_bytes.is_some_and(|max| kept.size_bytes >= max) {
            Exceeded::MaxBytes
        } else {
            return Ok(());
        };
        let limit = match exceeded {
            Exceeded::MaxCount => format!("{} snapshots", policy.max_count.unwrap_or_default()),
            Exceeded::MaxBytes => format!("{} bytes", policy.max_bytes.unwrap_or_default()),
        };
        Err(Error::new(
            ErrorCode::QuotaExceeded,
            format!("the session may keep {limit}, and none of its snapshots may be deleted"),
        )
        .with_hint("unpin or delete a snapshot, or destroy a workspace that would wake from one")
        .with_details(json!({
            "limit": exceeded, "keptCount": kept.count, "keptBytes": kept.size_bytes,
        })))
    }

    /// The workspace's head, if saving the workspace again frees it, because nothing else needs it.
    fn released_head(
        &self,
        open: &LoadedSession,
        workspace: &Workspace,
    ) -> Result<Option<BackupId>> {
        let config = &open.config;
        let Some(head) = &workspace.head_backup_id else { return Ok(None) };
        if !config.saved_dirs.are_in(&config.snapshot_dir)
            || self.context.catalogue.is_head_elsewhere(head, &workspace.sandbox_id)?
            || self.in_flight.is_being_read(head)?
        {
            return Ok(None);
        }
        Ok(Some(head.clone()))
    }
}
