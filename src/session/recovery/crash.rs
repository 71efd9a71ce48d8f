//! Finish or clean up what a crash left, from the rows that record each operation's intent.

use crate::domain::limits::{EDITS_AT_ONCE, RECOVER_AFTER_MS};
use crate::domain::{
    ErrorCode, Result, SandboxId, Snapshot, SnapshotState, Workspace, WorkspaceState,
};
use crate::ports::database::SEQ_MAX;
use crate::ports::{Level, LogLine};
use crate::session::catalogue::{EDITS, Rewind};
use crate::session::recovery::retention::Retention;
use crate::session::workspaces::pause::Pause;
use crate::session::{DecisionView, Session};
use serde_json::json;
use std::collections::BTreeSet;

impl Session {
    pub(crate) fn saves_due_ms(&self) -> Result<Option<i64>> {
        let rows = self.unrecovered(SnapshotState::Pending)?;
        let waits = |row: &Snapshot| self.in_flight.is_worked_on(row.origin_sandbox_id.as_str());
        self.rows_due_ms(rows.iter().map(|row| (row.id.as_str(), waits(row))))
    }

    pub(crate) async fn recover_pending_saves(&self) -> Result<Option<i64>> {
        for snapshot in self.left_snapshots(SnapshotState::Pending)? {
            // The workspace may wake from this snapshot: the lock keeps it from waking meanwhile.
            let _exclusive =
                self.locks.exclusive(&snapshot.origin_sandbox_id, "the recovery of a save").await?;
            self.saver.recover_save(&snapshot.id).await?;
        }
        Ok(None)
    }

    pub(crate) fn deletes_due_ms(&self) -> Result<Option<i64>> {
        let rows = self.unrecovered(SnapshotState::Deleting)?;
        self.rows_due_ms(rows.iter().map(|row| (row.id.as_str(), false)))
    }

    pub(crate) async fn recover_deletes(&self) -> Result<Option<i64>> {
        for snapshot in self.left_snapshots(SnapshotState::Deleting)? {
            let id = snapshot.id.to_string();
            let _working = self.in_flight.work_on(&id);
            let deleted = self.deleter.finish_delete(&snapshot.id, &snapshot.binding).await;
            let deleted = deleted.map(|()| Some("deleted"));
            self.context.note_recovered(&id, snapshot.state.as_str(), deleted)?;
        }
        Ok(None)
    }

    pub(crate) fn released_due_ms(&self) -> Result<Option<i64>> {
        let rows = self.context.catalogue.released_snapshots()?;
        let due_ms = rows.iter().map(|row| {
            let due_ms = self.rows_due_ms([(row.id.as_str(), false)].into_iter())?;
            Ok(due_ms.max(self.deleter.released_from_ms(row)))
        });
        Ok(due_ms.collect::<Result<Vec<_>>>()?.into_iter().flatten().min())
    }

    /// Deletes archives that no layer needs any more. Each may release the next below it.
    pub(crate) async fn finish_releases(&self) -> Result<Option<i64>> {
        loop {
            let put_off = self.put_off()?;
            let mut rows = self.context.catalogue.released_snapshots()?;
            rows.retain(|row| {
                !put_off.contains(row.id.as_str()) && self.deleter.released_from_ms(row).is_none()
            });
            if rows.is_empty() {
                return Ok(None);
            }
            for row in rows {
                let finished = self.deleter.finish_release(&row).await.map(|()| Some("deleted"));
                self.context.note_recovered(row.id.as_str(), row.state.as_str(), finished)?;
            }
        }
    }

    pub(crate) fn workspaces_due_ms(&self) -> Result<Option<i64>> {
        let rows = self.context.catalogue.unrecovered_workspaces()?;
        self.rows_due_ms(rows.iter().map(|row| (row.sandbox_id.as_str(), false)))
    }

    pub(crate) async fn recover_workspaces(&self) -> Result<Option<i64>> {
        for workspace in self.left_workspaces()? {
            let id = workspace.sandbox_id.to_string();
            let _working = self.in_flight.work_on(&id);
            let recovered = self.recover_workspace(&workspace).await.map(|()| Some("destroyed"));
            self.context.note_recovered(&id, workspace.state.as_str(), recovered)?;
        }
        Ok(None)
    }

    pub(crate) fn rewinds_due_ms(&self) -> Result<Option<i64>> {
        let rows = self.context.catalogue.running_rewinds()?;
        self.rows_due_ms(rows.iter().map(|row| (row.sandbox_id.as_str(), false)))
    }

    pub(crate) async fn recover_rewinds(&self) -> Result<Option<i64>> {
        for rewind in self.left_rewinds()? {
            let recovered = self.replacer.complete_rewind(&rewind).await.map(Some);
            self.context.note_recovered(rewind.sandbox_id.as_str(), "rewinding", recovered)?;
        }
        Ok(None)
    }

    pub(crate) fn releases_due_ms(&self) -> Result<Option<i64>> {
        let ids = self.context.catalogue.unreleased_workspaces()?;
        self.rows_due_ms(ids.iter().map(|id| (id.as_str(), false)))
    }

    pub(crate) async fn recover_releases(&self) -> Result<Option<i64>> {
        for id in self.left_unreleased()? {
            let recovered = Pause::from(self).finish_release(&id).await;
            self.context.note_recovered(id.as_str(), "unreleased", recovered)?;
        }
        Ok(None)
    }

    pub(crate) fn flattening_due_ms(&self) -> Result<Option<i64>> {
        let rows = self.context.catalogue.flattening()?;
        self.rows_due_ms(rows.iter().map(|row| (row.snapshot_id.as_str(), false)))
    }

    pub(crate) async fn recover_flattening(&self) -> Result<Option<i64>> {
        let put_off = self.put_off()?;
        for row in self.context.catalogue.flattening()? {
            let id = row.snapshot_id.as_str();
            if !self.in_flight.is_worked_on(id) && !put_off.contains(id) {
                let recovered = self.flattener.recover(&row.snapshot_id, &row.sandbox_id).await;
                self.context.note_recovered(id, "flattening", recovered)?;
            }
        }
        Ok(None)
    }

    pub(crate) fn clean_due_ms(&self) -> Result<Option<i64>> {
        let ids = self.context.catalogue.clean_sandboxes()?;
        self.rows_due_ms(ids.iter().map(|id| (id.as_str(), false)))
    }

    /// Destroys the clean sandboxes that calls left, and those whose export was read.
    pub(crate) async fn recover_clean(&self) -> Result<Option<i64>> {
        let put_off = self.put_off()?;
        for id in self.context.catalogue.clean_sandboxes()? {
            if !self.in_flight.is_worked_on(id.as_str()) && !put_off.contains(id.as_str()) {
                let recovered = self.clean.recover(&id).await;
                self.context.note_recovered(id.as_str(), "clean", recovered)?;
            }
        }
        Ok(None)
    }

    pub(crate) fn edits_due_ms(&self) -> Result<Option<i64>> {
        if self.context.catalogue.unsynced_snapshots(-SEQ_MAX, 1)?.is_empty() {
            return Ok(None);
        }
        let retry_ms = self.context.catalogue.retry_due_ms(EDITS)?;
        Ok(Some(self.context.now_ms().max(retry_ms.unwrap_or(0))))
    }

    /// Writes some of the edits that `meta.json` lacks. A failed one does not hold up later ones.
    /// If none could be written, all are put off.
    pub(crate) async fn recover_edits(&self) -> Result<Option<i64>> {
        let rows =
            self.context.catalogue.unsynced_snapshots(self.edited_to.get(), EDITS_AT_ONCE)?;
        let last = rows.last().filter(|_| rows.len() == EDITS_AT_ONCE as usize);
        self.edited_to.set(last.map_or(-SEQ_MAX, |last| last.seq));
        if rows.is_empty() {
            return Ok(None);
        }
        let mut written = false;
        for snapshot in rows {
            // It fails only if the snapshot is gone, which it has recorded.
            drop(self.store.sync_record(&snapshot.id).await);
            let row = self.context.catalogue.snapshot(&snapshot.id)?;
            let lacks = |row: Snapshot| row.state == SnapshotState::Ready && row.unsynced_edits > 0;
            written |= !row.is_some_and(lacks);
        }
        if written {
            self.context.catalogue.forget_retry(EDITS)?;
        } else {
            self.context.catalogue.put_off(EDITS, self.context.now_ms())?;
        }
        Ok(None)
    }

    pub(crate) async fn retain_due(&self) -> Result<Option<i64>> {
        self.note_pruned(Retention::from(self).prune_all().await).map(|()| None)
    }

    /// When the next unfinished row is due. A row that a call works on, or that `waits`, is
    /// rechecked after `RECOVER_AFTER_MS`: the call finishes it or reports a failure.
    fn rows_due_ms<'a>(&self, rows: impl Iterator<Item = (&'a str, bool)>) -> Result<Option<i64>> {
        let mut rows = rows.peekable();
        if rows.peek().is_none() {
            return Ok(None);
        }
        let retries = self.context.catalogue.retries()?;
        let now_ms = self.context.now_ms();
        let due_ms = |(id, waits): (&str, bool)| {
            if waits || self.in_flight.is_worked_on(id) {
                return now_ms + RECOVER_AFTER_MS;
            }
            retries.get(id).map_or(now_ms, |retry| retry.due_ms.max(now_ms))
        };
        Ok(rows.map(due_ms).min())
    }

    /// A snapshot that could not be deleted stays `deleting`, and is retried.
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
        line.fields.insert("session".to_owned(), json!(self.context.session));
        self.context.ports.log.write(line);
        Ok(())
    }

    fn unrecovered(&self, state: SnapshotState) -> Result<Vec<Snapshot>> {
        let mut rows = self.context.catalogue.unrecovered_snapshots()?;
        rows.retain(|row| row.state == state);
        Ok(rows)
    }

    fn left_snapshots(&self, state: SnapshotState) -> Result<Vec<Snapshot>> {
        let mut rows = self.unrecovered(state)?;
        let put_off = self.put_off()?;
        rows.retain(|row| {
            // A call that works on the workspace recovers its pending saves itself, or goes first.
            let waits = row.state == SnapshotState::Pending
                && self.in_flight.is_worked_on(row.origin_sandbox_id.as_str());
            !waits
                && !self.in_flight.is_worked_on(row.id.as_str())
                && !put_off.contains(row.id.as_str())
        });
        Ok(rows)
    }

    fn left_workspaces(&self) -> Result<Vec<Workspace>> {
        let mut rows = self.context.catalogue.unrecovered_workspaces()?;
        let put_off = self.put_off()?;
        rows.retain(|row| {
            let id = row.sandbox_id.as_str();
            !self.in_flight.is_worked_on(id) && !put_off.contains(id)
        });
        Ok(rows)
    }

    fn put_off(&self) -> Result<BTreeSet<String>> {
        let now_ms = self.context.now_ms();
        let retries = self.context.catalogue.retries()?.into_iter();
        Ok(retries.filter(|(_, retry)| retry.due_ms > now_ms).map(|(id, _)| id).collect())
    }

    fn left_rewinds(&self) -> Result<Vec<Rewind>> {
        let mut rows = self.context.catalogue.running_rewinds()?;
        let put_off = self.put_off()?;
        rows.retain(|row| {
            let id = row.sandbox_id.as_str();
            !self.in_flight.is_worked_on(id) && !put_off.contains(id)
        });
        Ok(rows)
    }

    fn left_unreleased(&self) -> Result<Vec<SandboxId>> {
        let mut ids = self.context.catalogue.unreleased_workspaces()?;
        let put_off = self.put_off()?;
        ids.retain(|id| {
            !self.in_flight.is_worked_on(id.as_str()) && !put_off.contains(id.as_str())
        });
        Ok(ids)
    }

    /// The caller of a new workspace never got its ref, so the workspace is of no use.
    async fn recover_workspace(&self, workspace: &Workspace) -> Result<()> {
        let id = &workspace.sandbox_id;
        self.containers.destroy(id).await?;
        self.context.catalogue.set_workspace_state(
            id,
            WorkspaceState::Destroyed,
            self.context.now_ms(),
        )
    }
}
