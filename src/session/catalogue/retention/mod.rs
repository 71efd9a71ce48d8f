//! Queries of retention.

pub(crate) mod due;

use crate::domain::limits::{EXPIRY_MARGIN_MS, REBUILT_KEPT_MS, TTL_MAX_SECS, TTL_USED_SECS};
use crate::domain::snapshot::retention::Candidate;
use crate::domain::{BackupId, Result, SandboxId, Snapshot};
use crate::ports::database::values;
use crate::session::catalogue::Catalogue;
use std::collections::BTreeSet;

impl Catalogue {
    /// Every ready snapshot. For tests only: a session may have very many.
    pub fn retention_candidates(&self, in_use: &BTreeSet<BackupId>) -> Result<Vec<Candidate>> {
        self.candidates(self.select_snapshots("WHERE +state = 'ready'", &[])?, in_use)
    }

    pub(crate) fn candidates(
        &self,
        rows: Vec<Snapshot>,
        in_use: &BTreeSet<BackupId>,
    ) -> Result<Vec<Candidate>> {
        let heads = self.heads()?;
        rows.into_iter()
            .map(|row| {
                let head = heads.contains(&row.id);
                let being_read =
                    if head { self.is_being_read(&row.id)? } else { in_use.contains(&row.id) };
                // "Until deleted" is stored as the longest time to live.
                let until_deleted = row.effective_ttl_secs() >= TTL_MAX_SECS;
                Ok(Candidate {
                    seq: row.seq,
                    created_at_ms: row.created_at_ms,
                    expires_at_ms: (!until_deleted).then(|| row.expires_at_ms()),
                    size_bytes: row.stored_bytes(),
                    trigger: row.counts_as(),
                    pinned: row.pinned,
                    head,
                    being_read,
                    rebuilt_until_ms: row.rebuilt_at_ms.map(|at_ms| at_ms + REBUILT_KEPT_MS),
                    retired: row.retired_at_ms.is_some(),
                    origin: row.origin_sandbox_id,
                    id: row.id,
                })
            })
            .collect()
    }

    /// Whether a workspace other than this one would wake from the snapshot.
    pub fn is_head_elsewhere(&self, id: &BackupId, sandbox_id: &SandboxId) -> Result<bool> {
        let rows = self.database.exec(
            "SELECT 1 AS one FROM heads JOIN workspaces USING (sandbox_id)
             WHERE backup_id = ? AND sandbox_id <> ? AND state <> 'destroyed' LIMIT 1",
            &[id.as_str().into(), sandbox_id.as_str().into()],
        )?;
        Ok(!rows.is_empty())
    }

    /// When a snapshot was last requested and neither refused nor failed.
    pub fn last_asked_ms(&self) -> Result<Option<i64>> {
        let last: Vec<Option<i64>> = values(
            self.database.as_ref(),
            "SELECT MAX(created_at_ms) FROM snapshots INDEXED BY snapshots_asked_last
             WHERE trigger IN ('manual', 'import') AND state <> 'failed'",
            &[],
        )?;
        Ok(last.first().copied().flatten())
    }

    /// Before a workspace is retired, keeps its heads at least until `until_ms`.
    pub fn keep_for_retired(&self, id: &SandboxId, now_ms: i64, until_ms: i64) -> Result<()> {
        self.database.exec(
            "UPDATE snapshots SET retired_at_ms = ?,
                unsynced_edits = unsynced_edits + (created_at_ms + ttl_secs * 1000 < ?),
                ttl_secs = MAX(ttl_secs, MIN(?, (CAST(? AS INTEGER) - created_at_ms + 999) / 1000))
             WHERE +state = 'ready' AND id IN (SELECT backup_id FROM heads WHERE sandbox_id = ?)",
            &[
                now_ms.into(),
                until_ms.into(),
                TTL_MAX_SECS.into(),
                until_ms.into(),
                id.as_str().into(),
            ],
        )?;
        Ok(())
    }

    /// Before a workspace is destroyed, keeps its last autosave or turn at least until `until_ms`.
    pub fn keep_for_destroyed(&self, id: &SandboxId, until_ms: i64) -> Result<()> {
        self.database.exec(
            "UPDATE snapshots SET unsynced_edits = unsynced_edits + 1,
                ttl_secs = MIN(?, (CAST(? AS INTEGER) - created_at_ms + 999) / 1000)
             WHERE +state = 'ready' AND trigger IN ('auto', 'turn') AND origin_sandbox_id = ?
                AND created_at_ms + ttl_secs * 1000 < ?
                AND id IN (SELECT backup_id FROM heads WHERE sandbox_id = ?)",
            &[
                TTL_MAX_SECS.into(),
                until_ms.into(),
                id.as_str().into(),
                until_ms.into(),
                id.as_str().into(),
            ],
        )?;
        Ok(())
    }
}

const USED_MS: i64 = TTL_USED_SECS.cast_signed() * 1_000;
/// A snapshot is renewed only at half of its time, so that its `meta.json` is seldom written.
const HALF_MS: i64 = USED_MS / 2;

impl Catalogue {
    /// Moves the expiry of renewed snapshots to 30 days after the last use of a workspace, if less
    /// than half of that is left. Returns whether any moved: its `meta.json` must then be written.
    pub fn renew_used(&self, now_ms: i64) -> Result<bool> {
        let Some(until_ms) = self.used_until_ms()? else { return Ok(false) };
        let renewed: Vec<i64> = values(
            self.database.as_ref(),
            "UPDATE snapshots INDEXED BY snapshots_renewing SET unsynced_edits = unsynced_edits + 1,
                ttl_secs = MIN(?, (CAST(? AS INTEGER) - created_at_ms + 999) / 1000)
             WHERE state = 'ready' AND renews = 1 AND pinned = 0 AND trigger NOT IN ('auto', 'safety')
                AND created_at_ms + ttl_secs * 1000 < MIN(CAST(? AS INTEGER), CAST(? AS INTEGER))
                AND created_at_ms + ttl_secs * 1000 >= ?
             RETURNING seq",
            &[
                TTL_MAX_SECS.into(),
                until_ms.into(),
                (until_ms - 999).into(),
                now_ms.saturating_add(HALF_MS).into(),
                (now_ms + EXPIRY_MARGIN_MS).into(),
            ],
        )?;
        Ok(!renewed.is_empty())
    }

    /// When [`Self::renew_used`] has something to do, as far as is known now.
    pub fn renewal_due_ms(&self, now_ms: i64) -> Result<Option<i64>> {
        let Some(until_ms) = self.used_until_ms()? else { return Ok(None) };
        let first: Vec<i64> = values(
            self.database.as_ref(),
            "SELECT created_at_ms + ttl_secs * 1000 FROM snapshots INDEXED BY snapshots_renewing
             WHERE state = 'ready' AND renews = 1 AND pinned = 0 AND trigger NOT IN ('auto', 'safety')
                AND created_at_ms + ttl_secs * 1000 >= ?
             ORDER BY created_at_ms + ttl_secs * 1000 LIMIT 1",
            &[(now_ms + EXPIRY_MARGIN_MS).into()],
        )?;
        let first = first.into_iter().next().filter(|expires_ms| *expires_ms < until_ms - 999);
        Ok(first.map(|expires_ms| expires_ms.saturating_sub(HALF_MS).saturating_add(1)))
    }

    fn used_until_ms(&self) -> Result<Option<i64>> {
        let last: Vec<Option<i64>> = values(
            self.database.as_ref(),
            "SELECT MAX(last_used_at_ms) FROM workspaces INDEXED BY workspaces_live
             WHERE state <> 'destroyed'",
            &[],
        )?;
        Ok(last.into_iter().flatten().next().map(|last_ms| last_ms.saturating_add(USED_MS)))
    }
}
