//! Checks of rows against the bucket, and rows rebuilt from it.

use crate::domain::json::render;
use crate::domain::limits::{REBUILT_KEPT_MS, RECOVER_AFTER_MS, RETRY_MAX_MS, TTL_MAX_SECS};
use crate::domain::time::pause_ms;
use crate::domain::{
    Annotations, BackupId, BackupMeta, Error, Result, SandboxId, Snapshot, SnapshotState,
    SnapshotTrigger,
};
use crate::ports::database::{insert, json_value, query, values};
use crate::session::catalogue::Catalogue;
use crate::session::catalogue::snapshots::{annotation_columns, cause_columns, chain_column};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Rebuilt rows come before all others: their `seq` is their creation time minus this. It is
/// negative, and in JavaScript's safe range, until the year 10889.
const REBUILT_SEQ_BASE: i64 = 1 << 48;

/// A bucket, by its binding, that lacks so much that we do not believe it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct HaltedSweep {
    /// The bucket's binding.
    pub binding: String,
    /// Largest number of snapshots that one check did not find.
    pub missing: u64,
    /// When that was first found, in milliseconds since the epoch.
    pub since_ms: i64,
}

impl Catalogue {
    /// Ready snapshots that were last seen in R2 at or before `before_ms`.
    pub fn snapshots_checked_before(&self, before_ms: i64, limit: u32) -> Result<Vec<Snapshot>> {
        self.select_snapshots(
            "INDEXED BY snapshots_by_check WHERE state = 'ready' AND checked_at_ms <= ?
             ORDER BY checked_at_ms LIMIT ?",
            &[before_ms.into(), i64::from(limit).into()],
        )
    }

    /// The oldest time at which a ready snapshot was last seen in R2.
    pub fn oldest_check_ms(&self) -> Result<Option<i64>> {
        let oldest: Vec<Option<i64>> = values(
            self.database.as_ref(),
            "SELECT MIN(checked_at_ms) FROM snapshots INDEXED BY snapshots_by_check
             WHERE state = 'ready'",
            &[],
        )?;
        Ok(oldest.first().copied().flatten())
    }

    /// Records that R2 has a snapshot whole.
    pub fn set_checked(&self, id: &BackupId, now_ms: i64) -> Result<()> {
        self.database.exec(
            "UPDATE snapshots SET checked_at_ms = ? WHERE id = ?",
            &[now_ms.into(), id.as_str().into()],
        )?;
        Ok(())
    }

    /// When R2 was last seen to have a snapshot whole.
    pub fn checked_at_ms(&self, id: &BackupId) -> Result<i64> {
        let sql = "SELECT checked_at_ms FROM snapshots WHERE id = ?";
        Ok(values(self.database.as_ref(), sql, &[id.as_str().into()])?.pop().unwrap_or(0))
    }

    /// The newest ready snapshots that the same bucket held when this one was last seen in it.
    pub fn stored_beside(&self, snapshot: &Snapshot, limit: u32) -> Result<Vec<Snapshot>> {
        self.select_snapshots(
            "INDEXED BY snapshots_by_age WHERE state = 'ready' AND binding = ? AND id <> ?
                AND created_at_ms <= (SELECT checked_at_ms FROM snapshots WHERE id = ?)
             ORDER BY created_at_ms DESC, seq DESC LIMIT ?",
            &[
                snapshot.binding.as_str().into(),
                snapshot.id.as_str().into(),
                snapshot.id.as_str().into(),
                i64::from(limit).into(),
            ],
        )
    }

    /// Buckets that lack so much that we do not believe them.
    pub fn halted_sweeps(&self) -> Result<Vec<HaltedSweep>> {
        let sql = "SELECT binding, missing, since_ms FROM halted_sweeps ORDER BY binding";
        query(self.database.as_ref(), sql, &[])
    }

    /// Records that a bucket lacks so much that we do not believe it. Returns whether that is new.
    pub fn halt_sweep(&self, binding: &str, missing: u64, now_ms: i64) -> Result<bool> {
        let is_new = self.halted_sweeps()?.iter().all(|halted| halted.binding != binding);
        self.database.exec(
            "INSERT INTO halted_sweeps (binding, missing, since_ms) VALUES (?, ?, ?)
             ON CONFLICT (binding) DO UPDATE SET missing = MAX(missing, excluded.missing)",
            &[binding.into(), missing.into(), now_ms.into()],
        )?;
        Ok(is_new)
    }

    /// Records that a bucket has what it should. Returns whether that is new.
    pub fn resume_sweep(&self, binding: &str) -> Result<bool> {
        let sql = "DELETE FROM halted_sweeps WHERE binding = ? RETURNING binding";
        Ok(!self.database.exec(sql, &[binding.into()])?.is_empty())
    }

    /// Records a snapshot from its `meta.json`. If `named`, takes the name from any other;
    /// otherwise drops it. Lists show an automatic one, which may be all that is left of a
    /// workspace. Heads are no longer known, so each is kept for [`REBUILT_KEPT_MS`], expired or
    /// not.
    pub fn put_rebuilt_snapshot(
        &self,
        meta: &BackupMeta,
        state: SnapshotState,
        binding: &str,
        named: bool,
        now_ms: i64,
    ) -> Result<()> {
        let ours = meta
            .snapshotter
            .as_ref()
            .ok_or_else(|| Error::internal(format!("backup {} names no session", meta.id)))?;
        let created_at_ms = meta.created_at_ms()?;
        let name = meta.name.clone().filter(|_| named);
        if let Some(name) = &name {
            self.database.exec(
                "UPDATE snapshots INDEXED BY snapshots_by_name SET name = NULL, unsynced_edits = unsynced_edits + 1
                 WHERE state = 'ready' AND name = ?",
                &[name.as_str().into()],
            )?;
        }
        self.database.exec("DELETE FROM snapshots WHERE id = ?", &[meta.id.as_str().into()])?;
        let seq = self.free_seq(created_at_ms - REBUILT_SEQ_BASE)?;
        let cause = ours.cause.clone().taken_over_by(SnapshotTrigger::Manual.into());
        let ttl_secs = ours.unpinned_ttl.unwrap_or(meta.ttl);
        let kept_ms = now_ms + REBUILT_KEPT_MS - created_at_ms;
        let kept_secs = u64::try_from(kept_ms).unwrap_or(0).div_ceil(1_000);
        let lives_secs = ttl_secs.max(kept_secs).min(TTL_MAX_SECS);
        let edited = name != meta.name || cause != ours.cause || lives_secs != ttl_secs;
        let mut row = annotation_columns(&Annotations { name, ..meta.annotations() })?;
        row.extend(cause_columns(&cause)?);
        row.extend([
            ("seq", seq.into()),
            ("id", meta.id.as_str().into()),
            ("binding", binding.into()),
            ("origin_sandbox_id", ours.origin_sandbox_id.as_str().into()),
            ("dir", meta.dir.as_str().into()),
            ("chain", chain_column(&ours.chain)?),
            ("state", state.as_str().into()),
            ("handle", render(&meta.handle())?.to_string().into()),
            ("parent_id", ours.parent_id.as_ref().map(BackupId::as_str).into()),
            ("created_at_ms", created_at_ms.into()),
            ("ttl_secs", lives_secs.into()),
            ("renews", ours.renews.into()),
            ("size_bytes", meta.size_bytes.into()),
            ("sha256", ours.sha256.as_str().into()),
            ("git", json_value(ours.git.as_ref())?),
            ("machine", json_value(ours.machine.as_ref())?),
            ("pinned", ours.unpinned_ttl.is_some().into()),
            ("published", ours.published.into()),
            ("unsynced_edits", edited.into()),
            ("checked_at_ms", created_at_ms.into()),
            ("rebuilt_at_ms", now_ms.into()),
        ]);
        insert(self.database.as_ref(), "snapshots", row)?;
        match &ours.cause.turn {
            Some(turn) if state == SnapshotState::Ready => {
                let (workspace, before_id) = (&ours.origin_sandbox_id, ours.parent_id.clone());
                self.put_rebuilt_turn(turn, &meta.id, workspace, before_id, created_at_ms)
            }
            _ => Ok(()),
        }
    }

    fn free_seq(&self, from: i64) -> Result<i64> {
        let free = values(
            self.database.as_ref(),
            "WITH RECURSIVE tried (seq) AS (
                SELECT ? UNION ALL
                SELECT seq + 1 FROM tried WHERE EXISTS (SELECT 1 FROM snapshots WHERE snapshots.seq = tried.seq)
             ) SELECT MAX(seq) FROM tried",
            &[from.into()],
        )?;
        free.first().copied().ok_or_else(|| Error::internal("no seq is free"))
    }
}

#[derive(Deserialize)]
struct EndedSnapshot {
    seq: i64,
    is_needed: i64,
}

#[derive(Deserialize)]
struct EndedWorkspace {
    sandbox_id: SandboxId,
    is_needed: i64,
}

impl Catalogue {
    /// The earliest end of a snapshot or workspace that is still recorded.
    pub fn oldest_end_ms(&self) -> Result<Option<i64>> {
        let mut oldest_ms = None;
        for sql in [
            "SELECT MIN(ended_at_ms) FROM snapshots INDEXED BY snapshots_ended
             WHERE state IN ('deleted', 'failed')",
            "SELECT MIN(ended_at_ms) FROM workspaces INDEXED BY workspaces_ended
             WHERE state = 'destroyed' AND sandbox_id NOT IN (SELECT active_sandbox_id FROM session)",
        ] {
            let ends_ms: Vec<Option<i64>> = values(self.database.as_ref(), sql, &[])?;
            oldest_ms = ends_ms.into_iter().chain([oldest_ms]).flatten().min();
        }
        Ok(oldest_ms)
    }

    /// Forgets a few workspaces that ended before `before_ms`, but none that is active or needed.
    pub fn forget_ended_workspaces(&self, before_ms: i64, now_ms: i64, limit: u64) -> Result<()> {
        let rows: Vec<EndedWorkspace> = query(
            self.database.as_ref(),
            "SELECT sandbox_id, EXISTS (SELECT 1 FROM snapshots INDEXED BY snapshots_by_origin
                    WHERE origin_sandbox_id = ended.sandbox_id
                        AND state IN ('pending', 'ready', 'deleting')) AS is_needed
             FROM workspaces AS ended INDEXED BY workspaces_ended
             WHERE ended.state = 'destroyed' AND ended.ended_at_ms <= ?
                AND ended.sandbox_id NOT IN (SELECT active_sandbox_id FROM session)
             ORDER BY ended.ended_at_ms LIMIT ?",
            &[before_ms.into(), limit.into()],
        )?;
        for EndedWorkspace { sandbox_id, is_needed } in rows {
            let id = sandbox_id.as_str();
            if is_needed != 0 {
                self.database.exec(
                    "UPDATE workspaces SET ended_at_ms = ? WHERE sandbox_id = ?",
                    &[now_ms.into(), id.into()],
                )?;
            } else {
                self.database.exec("DELETE FROM heads WHERE sandbox_id = ?", &[id.into()])?;
                self.database.exec("DELETE FROM workspaces WHERE sandbox_id = ?", &[id.into()])?;
            }
        }
        Ok(())
    }

    /// Forgets a few ended snapshots, but none that a lineage shows or a workspace would wake from.
    pub fn forget_ended_snapshots(&self, before_ms: i64, now_ms: i64, limit: u64) -> Result<()> {
        let rows: Vec<EndedSnapshot> = query(
            self.database.as_ref(),
            "SELECT seq, EXISTS (SELECT 1 FROM workspaces WHERE from_backup_id = ended.id)
                OR EXISTS (SELECT 1 FROM workspaces WHERE made_from_backup_id = ended.id)
                OR EXISTS (SELECT 1 FROM heads CROSS JOIN workspaces USING (sandbox_id)
                    WHERE backup_id = ended.id AND workspaces.state <> 'destroyed') AS is_needed
             FROM snapshots AS ended INDEXED BY snapshots_ended
             WHERE ended.state IN ('deleted', 'failed') AND ended.ended_at_ms <= ?
             ORDER BY ended.ended_at_ms LIMIT ?",
            &[before_ms.into(), limit.into()],
        )?;
        for EndedSnapshot { seq, is_needed } in rows {
            if is_needed != 0 {
                self.database.exec(
                    "UPDATE snapshots SET ended_at_ms = ? WHERE seq = ?",
                    &[now_ms.into(), seq.into()],
                )?;
            } else {
                self.database.exec("DELETE FROM snapshots WHERE seq = ?", &[seq.into()])?;
            }
        }
        Ok(())
    }
}

/// Failed work that is put off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// How often it has failed in a row.
    pub failures: u32,
    /// When it is due again, in milliseconds since the epoch.
    pub due_ms: i64,
}

#[derive(Deserialize)]
struct StoredRetry {
    subject: String,
    failures: u32,
    due_ms: i64,
}

impl Catalogue {
    /// Failed work by subject.
    pub fn retries(&self) -> Result<BTreeMap<String, Retry>> {
        let sql = "SELECT subject, failures, due_ms FROM retries";
        let rows: Vec<StoredRetry> = query(self.database.as_ref(), sql, &[])?;
        let read =
            |StoredRetry { subject, failures, due_ms }| (subject, Retry { failures, due_ms });
        Ok(rows.into_iter().map(read).collect())
    }

    /// When failed work on a subject is due again, in milliseconds since the epoch.
    pub fn retry_due_ms(&self, subject: &str) -> Result<Option<i64>> {
        let sql = "SELECT subject, failures, due_ms FROM retries WHERE subject = ?";
        let rows: Vec<StoredRetry> = query(self.database.as_ref(), sql, &[subject.into()])?;
        Ok(rows.first().map(|row| row.due_ms))
    }

    /// Puts off work on a subject once more, each time for twice as long.
    pub fn put_off(&self, subject: &str, now_ms: i64) -> Result<Retry> {
        let failed = self.retries()?.get(subject).map_or(0, |retry| retry.failures);
        let pause_ms = pause_ms(failed, RECOVER_AFTER_MS, RETRY_MAX_MS);
        let retry = Retry { failures: failed.saturating_add(1), due_ms: now_ms + pause_ms };
        self.database.exec(
            "INSERT INTO retries (subject, failures, due_ms) VALUES (?, ?, ?)
             ON CONFLICT (subject) DO UPDATE SET
                failures = excluded.failures, due_ms = excluded.due_ms",
            &[subject.into(), i64::from(retry.failures).into(), retry.due_ms.into()],
        )?;
        Ok(retry)
    }

    /// Forgets the failures of a subject: the work is done, or no longer needed.
    pub fn forget_retry(&self, subject: &str) -> Result<()> {
        self.database.exec("DELETE FROM retries WHERE subject = ?", &[subject.into()]).map(drop)
    }
}
