//! Workspaces. A row outlives its workspace for thirty days, and for as long as it has a snapshot.

use crate::domain::json::render;
use crate::domain::{
    BackupDir, BackupId, DirHead, Heads, InstanceId, Result, SandboxId, Workspace, WorkspaceState,
};
use crate::ports::SqlValue;
use crate::ports::database::{column, json_column, query, values};
use crate::session::Woken;
use crate::session::catalogue::Catalogue;
use std::collections::BTreeSet;

const COLUMNS: &str = "sandbox_id, kind, state, instance_id, from_backup_id, made_from_backup_id,
    head_backup_id, head_seq, saved_at_ms, created_at_ms, last_used_at_ms, paused_at_ms";

impl Catalogue {
    fn select_workspaces(&self, tail: &str, params: &[SqlValue]) -> Result<Vec<Workspace>> {
        let sql = format!("SELECT {COLUMNS} FROM workspaces {tail}");
        query(self.database.as_ref(), &sql, params)
    }

    /// A workspace by its sandbox.
    pub fn workspace(&self, id: &SandboxId) -> Result<Option<Workspace>> {
        let rows = self.select_workspaces("WHERE sandbox_id = ?", &[id.as_str().into()])?;
        Ok(rows.into_iter().next())
    }

    /// Every workspace that is not destroyed, oldest first.
    pub fn live_workspaces(&self) -> Result<Vec<Workspace>> {
        self.select_workspaces(
            "INDEXED BY workspaces_live WHERE state <> 'destroyed'
             ORDER BY created_at_ms, sandbox_id",
            &[],
        )
    }

    /// Workspaces that are being created or destroyed, with no end recorded.
    pub fn unrecovered_workspaces(&self) -> Result<Vec<Workspace>> {
        self.select_workspaces(
            "INDEXED BY workspaces_live
             WHERE state <> 'destroyed' AND state IN ('creating', 'destroying') ORDER BY created_at_ms, sandbox_id",
            &[],
        )
    }

    /// Whether a workspace is being made from this snapshot, or an unfinished rewind names it.
    pub fn is_source(&self, id: &BackupId) -> Result<bool> {
        let readers = self.database.exec(
            "SELECT from_backup_id AS id FROM workspaces INDEXED BY workspaces_live
                WHERE state <> 'destroyed' AND state = 'creating' AND from_backup_id = ?
             UNION ALL SELECT backup_id FROM rewinds INDEXED BY rewinds_running
                WHERE state = 'running' AND ? IN (backup_id, safety_id)",
            &[id.as_str().into(), id.as_str().into()],
        )?;
        Ok(!readers.is_empty())
    }

    /// As [`Self::is_source`], or the snapshot is becoming full, or is a layer on one that is.
    pub fn is_being_read(&self, id: &BackupId) -> Result<bool> {
        Ok(self.is_source(id)? || self.is_flattening(id)?)
    }

    /// Snapshots that an existing workspace would wake from.
    pub fn heads(&self) -> Result<BTreeSet<BackupId>> {
        let heads = values(
            self.database.as_ref(),
            "SELECT backup_id FROM workspaces INDEXED BY workspaces_live
                CROSS JOIN heads USING (sandbox_id) WHERE state <> 'destroyed'",
            &[],
        )?;
        Ok(heads.into_iter().collect())
    }

    /// Snapshots that must not be deleted: heads, sources of workspaces being made, both snapshots
    /// of an unfinished rewind, and those that are becoming full, with the layers on them.
    pub fn snapshots_in_use(&self) -> Result<BTreeSet<BackupId>> {
        let being_read: Vec<BackupId> = values(
            self.database.as_ref(),
            "SELECT from_backup_id FROM workspaces INDEXED BY workspaces_live
                WHERE state <> 'destroyed' AND state = 'creating' AND from_backup_id IS NOT NULL
             UNION ALL SELECT backup_id FROM rewinds INDEXED BY rewinds_running WHERE state = 'running'
             UNION ALL SELECT safety_id FROM rewinds INDEXED BY rewinds_running WHERE state = 'running'",
            &[],
        )?;
        let mut ids = self.heads()?;
        ids.extend(being_read);
        for row in self.flattening()? {
            ids.extend(self.layers_above(&row.snapshot_id)?.into_iter().map(|layer| layer.id));
            ids.insert(row.snapshot_id);
        }
        Ok(ids)
    }

    /// The `seq` of the newest snapshot begun so far.
    pub fn newest_seq(&self) -> Result<i64> {
        let sql = "SELECT COALESCE(MAX(seq), 0) FROM snapshots";
        Ok(values(self.database.as_ref(), sql, &[])?.pop().unwrap_or(0))
    }

    /// Makes a workspace wake from `head`, begun or compared at `seq`. If it covers `main`, it is
    /// the head. Does nothing if the workspace has got other files, or a later snapshot, since.
    pub fn advance(
        &self,
        id: &SandboxId,
        head: &DirHead,
        main: &BackupDir,
        seq: i64,
    ) -> Result<()> {
        let Some(row) = self.workspace(id)? else { return Ok(()) };
        if row.head_seq >= seq || row.state == WorkspaceState::Destroyed {
            return Ok(());
        }
        let whole = head.dir.covers(main).then(|| head.backup_id.as_str());
        self.database.exec(
            "UPDATE workspaces SET head_backup_id = COALESCE(?, head_backup_id), head_seq = ?
             WHERE sandbox_id = ?",
            &[whole.into(), seq.into(), id.as_str().into()],
        )?;
        let mut heads = self.heads_of(id)?;
        heads.put(head.clone());
        self.set_heads(id, &heads)
    }

    /// The archives that a workspace wakes from.
    pub fn heads_of(&self, id: &SandboxId) -> Result<Heads> {
        let rows: Vec<DirHead> = query(
            self.database.as_ref(),
            "SELECT backup_id, dir FROM heads WHERE sandbox_id = ? ORDER BY position",
            &[id.as_str().into()],
        )?;
        Ok(Heads::stored(rows))
    }

    /// Records the archives that a workspace wakes from.
    pub fn set_heads(&self, id: &SandboxId, heads: &Heads) -> Result<()> {
        self.database.exec("DELETE FROM heads WHERE sandbox_id = ?", &[id.as_str().into()])?;
        for (position, head) in (0_i64..).zip(heads.as_slice()) {
            self.database.exec(
                "INSERT INTO heads (sandbox_id, position, backup_id, dir) VALUES (?, ?, ?, ?)",
                &[
                    id.as_str().into(),
                    position.into(),
                    head.backup_id.as_str().into(),
                    head.dir.as_str().into(),
                ],
            )?;
        }
        Ok(())
    }

    /// Records when a workspace's disk last had no files that its head lacks.
    pub fn set_saved_at(&self, id: &SandboxId, at_ms: i64) -> Result<()> {
        self.database.exec(
            "UPDATE workspaces SET saved_at_ms = ? WHERE sandbox_id = ? AND state = 'ready'",
            &[at_ms.into(), id.as_str().into()],
        )?;
        Ok(())
    }

    /// Makes no workspace wake from this snapshot any more. Running ones become due for a save.
    pub fn forget_head(&self, id: &BackupId) -> Result<()> {
        self.database.exec(
            "UPDATE workspaces SET head_backup_id = NULL WHERE head_backup_id = ?",
            &[id.as_str().into()],
        )?;
        self.set_unsaved(id)?;
        self.database.exec("DELETE FROM heads WHERE backup_id = ?", &[id.as_str().into()])?;
        Ok(())
    }

    /// Makes running workspaces that would wake from this snapshot due for a save.
    pub fn set_unsaved(&self, id: &BackupId) -> Result<()> {
        self.database.exec(
            "UPDATE workspaces SET saved_at_ms = 0
             WHERE sandbox_id IN (SELECT sandbox_id FROM heads WHERE backup_id = ?)",
            &[id.as_str().into()],
        )?;
        Ok(())
    }

    /// Creates or replaces a workspace's row.
    pub fn put_workspace(&self, workspace: &Workspace) -> Result<()> {
        self.database.exec(
            &format!(
                "INSERT INTO workspaces ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                 ON CONFLICT (sandbox_id) DO UPDATE SET kind = excluded.kind,
                    state = excluded.state, instance_id = excluded.instance_id,
                    from_backup_id = excluded.from_backup_id,
                    made_from_backup_id = excluded.made_from_backup_id,
                    head_backup_id = excluded.head_backup_id, head_seq = excluded.head_seq,
                    saved_at_ms = excluded.saved_at_ms,
                    created_at_ms = excluded.created_at_ms,
                    last_used_at_ms = excluded.last_used_at_ms,
                    paused_at_ms = excluded.paused_at_ms"
            ),
            &[
                workspace.sandbox_id.as_str().into(),
                workspace.kind.as_str().into(),
                workspace.state.as_str().into(),
                workspace.instance_id.as_ref().map(InstanceId::as_str).into(),
                workspace.from_backup_id.as_ref().map(BackupId::as_str).into(),
                workspace.made_from_backup_id.as_ref().map(BackupId::as_str).into(),
                workspace.head_backup_id.as_ref().map(BackupId::as_str).into(),
                workspace.head_seq.into(),
                workspace.saved_at_ms.into(),
                workspace.created_at_ms.into(),
                workspace.last_used_at_ms.into(),
                workspace.paused_at_ms.into(),
            ],
        )?;
        Ok(())
    }

    /// Moves a workspace to another state.
    pub fn set_workspace_state(
        &self,
        id: &SandboxId,
        state: WorkspaceState,
        now_ms: i64,
    ) -> Result<()> {
        self.database.exec(
            "UPDATE workspaces SET state = ?, ended_at_ms = ? WHERE sandbox_id = ?",
            &[state.as_str().into(), now_ms.into(), id.as_str().into()],
        )?;
        // Queries for the workspaces that need a snapshot then skip destroyed ones.
        if state == WorkspaceState::Destroyed {
            self.database.exec("DELETE FROM heads WHERE sandbox_id = ?", &[id.as_str().into()])?;
        }
        Ok(())
    }

    /// Records the disk that has a workspace's files. None: it has no files yet.
    pub fn set_instance(
        &self,
        id: &SandboxId,
        instance: Option<&InstanceId>,
        now_ms: i64,
    ) -> Result<()> {
        self.database.exec(
            "UPDATE workspaces SET instance_id = ?, saved_at_ms = ? WHERE sandbox_id = ?",
            &[instance.map(InstanceId::as_str).into(), now_ms.into(), id.as_str().into()],
        )?;
        Ok(())
    }

    /// Stores a wake to report to the workspace's next caller, or forgets it.
    pub fn set_unreported_wake(&self, id: &SandboxId, woken: Option<&Woken>) -> Result<()> {
        let text = woken.map(render).transpose()?.map(|woken| woken.to_string());
        self.database.exec(
            "UPDATE workspaces SET unreported_wake = ? WHERE sandbox_id = ?",
            &[text.into(), id.as_str().into()],
        )?;
        Ok(())
    }

    /// A wake that no caller has received yet.
    pub fn unreported_wake(&self) -> Result<Option<(SandboxId, Woken)>> {
        let mut rows = self.database.exec(
            "SELECT sandbox_id, unreported_wake FROM workspaces INDEXED BY workspaces_live
             WHERE state <> 'destroyed' AND unreported_wake IS NOT NULL AND state = 'ready' LIMIT 1",
            &[],
        )?;
        let Some(row) = rows.first_mut() else { return Ok(None) };
        Ok(Some((column(row, "sandbox_id")?, json_column(row, "unreported_wake")?)))
    }

    /// As [`Self::unreported_wake`], of one workspace.
    pub fn unreported_wake_of(&self, id: &SandboxId) -> Result<Option<Woken>> {
        let mut rows = self.database.exec(
            "SELECT unreported_wake FROM workspaces
             WHERE sandbox_id = ? AND unreported_wake IS NOT NULL AND state = 'ready'",
            &[id.as_str().into()],
        )?;
        rows.first_mut().map(|row| json_column(row, "unreported_wake")).transpose()
    }

    /// Records that a workspace was used.
    pub fn touch_workspace(&self, id: &SandboxId, now_ms: i64) -> Result<()> {
        self.database.exec(
            "UPDATE workspaces SET last_used_at_ms = ? WHERE sandbox_id = ?",
            &[now_ms.into(), id.as_str().into()],
        )?;
        Ok(())
    }
}
