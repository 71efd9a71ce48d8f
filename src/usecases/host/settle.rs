//! Finish or clean up what a crash left, from the rows that say what was being
//! done.

use super::catalogue::Rewind;
use super::save::committed_facts;
use super::{DecisionView, Host};
use crate::domain::backup::{BackupHandle, rfc3339};
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::event::Event;
use crate::domain::ids::{BackupId, SandboxId};
use crate::domain::limits::{FOREIGN_BACKUP_DEADLINE_MS, SETTLE_AFTER_MS};
use crate::domain::snapshot::{Snapshot, SnapshotState};
use crate::domain::workspace::{Workspace, WorkspaceState};
use crate::ports::log::{Level, LogLine};
use crate::ports::sandbox::BackupProgress;
use serde_json::json;
use std::collections::BTreeSet;

impl Host {
    /// Called before each operation: the first one of an object has what a
    /// crash left looked at, by the alarm, so that no caller waits for it.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails or the alarm cannot be set.
    pub async fn wake(&self) -> Result<()> {
        self.announce().await;
        if self.awake.replace(true) {
            return Ok(());
        }
        let left = !self.left_snapshots()?.is_empty()
            || !self.left_workspaces()?.is_empty()
            || !self.left_rewinds()?.is_empty()
            || !self.left_unreleased()?.is_empty()
            || !self.catalogue.unsynced_snapshots()?.is_empty()
            || !self.catalogue.running_operations()?.is_empty()
            || self.loans_due()?;
        let put_off = self.unsettled_due_ms()?.into_iter();
        let upkeep = self.upkeep_due_ms()?;
        let due_ms =
            if left { Some(self.now_ms()) } else { upkeep.into_iter().chain(put_off).min() };
        if let Some(due_ms) = due_ms {
            self.ports.alarm.wake_by(due_ms).await?;
        }
        Ok(())
    }

    /// Settles every unfinished row that no running call works on, and does what
    /// is due. What cannot be settled now is looked at again later, and ever
    /// later; one part that fails keeps no other from its work.
    ///
    /// # Errors
    /// The first part's that failed: `INTERNAL` where SQLite fails or the alarm
    /// cannot be set; `UNAVAILABLE` where R2 does not answer.
    pub async fn settle(&self) -> Result<()> {
        let parts = [
            self.settle_rows().await,
            self.settle_edits().await,
            self.keep_saved().await,
            self.settle_loans().await,
            self.tend_operations().await,
            self.note_pruned(self.prune_all().await),
            self.sweep().await,
            self.retire().await,
            self.register().await,
            self.come_back().await,
        ];
        parts.into_iter().collect()
    }

    async fn settle_rows(&self) -> Result<()> {
        for snapshot in self.left_snapshots()? {
            if snapshot.state == SnapshotState::Pending {
                // Its workspace may be to wake from it: it does not wake meanwhile.
                let _alone = self.gates.alone(&snapshot.origin_sandbox_id).await;
                self.settle_save(&snapshot.id).await?;
                continue;
            }
            let id = snapshot.id.to_string();
            let _working = self.work_on(&id);
            let deleted = self.finish_delete(&snapshot.id, &snapshot.binding).await;
            let deleted = deleted.map(|()| Some("deleted"));
            self.note_settled(&id, snapshot.state.as_str(), deleted)?;
        }
        for workspace in self.left_workspaces()? {
            let id = workspace.sandbox_id.to_string();
            let _working = self.work_on(&id);
            let settled = self.settle_workspace(&workspace).await.map(|()| Some("destroyed"));
            self.note_settled(&id, workspace.state.as_str(), settled)?;
        }
        for rewind in self.left_rewinds()? {
            let settled = self.complete_rewind(&rewind).await.map(Some);
            self.note_settled(rewind.sandbox_id.as_str(), "rewinding", settled)?;
        }
        for id in self.left_unreleased()? {
            let settled = self.finish_release(&id).await;
            self.note_settled(id.as_str(), "unreleased", settled)?;
        }
        Ok(())
    }

    async fn settle_edits(&self) -> Result<()> {
        for snapshot in self.catalogue.unsynced_snapshots()? {
            match self.sync_record(&snapshot.id).await {
                // What is gone has been recorded so.
                Err(error) if error.code != ErrorCode::SnapshotGone => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    async fn settle_loans(&self) -> Result<()> {
        self.catalogue.forget_loans(self.now_ms())?;
        self.tend_loans().await
    }

    /// Rows of running calls, and what could not be settled, are due later.
    async fn come_back(&self) -> Result<()> {
        let unfinished = !self.catalogue.unsynced_snapshots()?.is_empty()
            || !self.catalogue.running_operations()?.is_empty();
        let soon_ms = unfinished.then(|| self.now_ms() + SETTLE_AFTER_MS);
        let due_ms = self.unsettled_due_ms()?.into_iter().chain(soon_ms).min();
        match due_ms {
            Some(due_ms) => self.ports.alarm.wake_by(due_ms).await,
            None => Ok(()),
        }
    }

    /// When the next unfinished row is due: what failed before is put off.
    fn unsettled_due_ms(&self) -> Result<Option<i64>> {
        let snapshots = self.catalogue.unsettled_snapshots()?;
        let workspaces = self.catalogue.unsettled_workspaces()?;
        let ids = snapshots.iter().map(|row| row.id.as_str());
        let ids = ids.chain(workspaces.iter().map(|row| row.sandbox_id.as_str()));
        let rewinds = self.catalogue.running_rewinds()?;
        let ids = ids.chain(rewinds.iter().map(|row| row.sandbox_id.as_str()));
        let unreleased = self.catalogue.unreleased_workspaces()?;
        let ids = ids.chain(unreleased.iter().map(SandboxId::as_str));
        let retries = self.catalogue.retries()?;
        let now_ms = self.now_ms();
        // One that is due by now is being worked on.
        let put_off =
            |id: &str| retries.get(id).map(|retry| retry.due_ms).filter(|at| *at > now_ms);
        Ok(ids.map(|id| put_off(id).unwrap_or(now_ms + SETTLE_AFTER_MS)).min())
    }

    /// What could not be deleted now stays `deleting`, and is looked at again.
    fn note_pruned(&self, pruned: Result<Vec<DecisionView>>) -> Result<()> {
        let (level, fields) = match pruned {
            Ok(pruned) if pruned.is_empty() => return Ok(()),
            Ok(pruned) => {
                let freed_bytes: u64 = pruned.iter().map(|decision| decision.size_bytes).sum();
                (Level::Info, json!({ "deleted": pruned.len(), "freedBytes": freed_bytes }))
            }
            Err(error) if error.code == ErrorCode::Internal => return Err(error),
            Err(error) => (Level::Warn, json!({ "code": error.code, "cause": error.cause })),
        };
        let mut line = LogLine::new(level, "retention", fields);
        line.fields.insert("session".to_owned(), json!(self.session));
        self.ports.log.write(line);
        Ok(())
    }

    fn left_snapshots(&self) -> Result<Vec<Snapshot>> {
        let mut rows = self.catalogue.unsettled_snapshots()?;
        let put_off = self.put_off()?;
        rows.retain(|row| {
            // Who has the workspace to himself settles what was being saved of it, or comes first.
            let waits = row.state == SnapshotState::Pending
                && self.is_worked_on(row.origin_sandbox_id.as_str());
            !waits && !self.is_worked_on(row.id.as_str()) && !put_off.contains(row.id.as_str())
        });
        Ok(rows)
    }

    fn left_workspaces(&self) -> Result<Vec<Workspace>> {
        let mut rows = self.catalogue.unsettled_workspaces()?;
        let put_off = self.put_off()?;
        rows.retain(|row| {
            let id = row.sandbox_id.as_str();
            !self.is_worked_on(id) && !put_off.contains(id)
        });
        Ok(rows)
    }

    /// What failed before, and is not due again yet.
    fn put_off(&self) -> Result<BTreeSet<String>> {
        let now_ms = self.now_ms();
        let retries = self.catalogue.retries()?.into_iter();
        Ok(retries.filter(|(_, retry)| retry.due_ms > now_ms).map(|(id, _)| id).collect())
    }

    fn left_rewinds(&self) -> Result<Vec<Rewind>> {
        let mut rows = self.catalogue.running_rewinds()?;
        let put_off = self.put_off()?;
        rows.retain(|row| {
            let id = row.sandbox_id.as_str();
            !self.is_worked_on(id) && !put_off.contains(id)
        });
        Ok(rows)
    }

    fn left_unreleased(&self) -> Result<Vec<SandboxId>> {
        let mut ids = self.catalogue.unreleased_workspaces()?;
        let put_off = self.put_off()?;
        ids.retain(|id| !self.is_worked_on(id.as_str()) && !put_off.contains(id.as_str()));
        Ok(ids)
    }

    /// Settles a snapshot that was being taken, if nobody works on it. The caller
    /// is alone in its workspace. Says why it could not be settled.
    pub(super) async fn settle_save(&self, id: &BackupId) -> Result<Option<Error>> {
        let left = self.catalogue.snapshot(id)?;
        let left = left.filter(|row| row.state == SnapshotState::Pending);
        let Some(snapshot) = left.filter(|_| !self.is_worked_on(id.as_str())) else {
            return Ok(None);
        };
        let _working = self.work_on(id.as_str());
        let settled = self.settle_pending(&snapshot).await;
        let failed = settled.as_ref().err().cloned();
        self.note_settled(id.as_str(), snapshot.state.as_str(), settled)?;
        Ok(failed)
    }

    /// A snapshot that was being taken is ready if R2 holds it whole, and
    /// failed otherwise, but only once its sandbox can no longer complete it.
    async fn settle_pending(&self, snapshot: &Snapshot) -> Result<Option<&'static str>> {
        let sandbox = self.ports.sandboxes.get(&snapshot.origin_sandbox_id)?;
        match sandbox.settle_backup(snapshot.id.clone()).await {
            Ok(BackupProgress::Running) => return Ok(None),
            Ok(BackupProgress::Ended) => {}
            // A sandbox of 0.12 cannot be asked; it is given time.
            Err(error) if error.code == ErrorCode::Unsupported => {
                if self.now_ms() < snapshot.created_at_ms + FOREIGN_BACKUP_DEADLINE_MS {
                    return Ok(None);
                }
            }
            Err(error) => return Err(error),
        }
        let bucket = self.ports.buckets.open(&snapshot.binding)?;
        let handle = BackupHandle {
            id: snapshot.id.clone(),
            dir: snapshot.dir.clone(),
            extra: serde_json::Map::new(),
        };
        if let Some(facts) = committed_facts(bucket.as_ref(), handle).await? {
            self.record_ready(&snapshot.id, &facts)?;
            return Ok(Some("ready"));
        }
        super::delete::delete_objects(bucket.as_ref(), &snapshot.id).await?;
        self.record_failed(&snapshot.id, ErrorCode::Interrupted)?;
        Ok(Some("failed"))
    }

    /// A fork whose caller never got an answer is of no use; and what was being
    /// destroyed is destroyed.
    async fn settle_workspace(&self, workspace: &Workspace) -> Result<()> {
        let id = &workspace.sandbox_id;
        self.ports.sandboxes.get(id)?.destroy().await?;
        self.catalogue.set_workspace_state(id, WorkspaceState::Destroyed)
    }

    pub(super) fn note_settled(
        &self,
        subject: &str,
        from: &str,
        settled: Result<Option<&'static str>>,
    ) -> Result<()> {
        let (level, fields) = match &settled {
            Ok(Some(to)) => {
                self.catalogue.forget_retry(subject)?;
                let event = Event::SessionSettled {
                    subject: subject.to_owned(),
                    from: from.to_owned(),
                    to: (*to).to_owned(),
                };
                self.catalogue.add_event(self.now_ms(), &event)?;
                (Level::Info, json!({ "to": to }))
            }
            Ok(None) => (Level::Info, json!({ "to": "still running" })),
            Err(error) => {
                let retry = self.catalogue.put_off(subject, self.now_ms())?;
                let fields = json!({
                    "code": error.code, "message": error.message, "cause": error.cause,
                    "failures": retry.failures, "nextTryAt": rfc3339(retry.due_ms),
                });
                (Level::Warn, fields)
            }
        };
        let mut line = LogLine::new(level, "settle", fields);
        line.fields.insert("session".to_owned(), json!(self.session));
        line.fields.insert("subject".to_owned(), json!(subject));
        line.fields.insert("from".to_owned(), json!(from));
        self.ports.log.write(line);
        Ok(())
    }
}
