//! Find what retention does next, by index: the number of rows read does not grow with the number
//! of snapshots. The file is long because each rule of one order has its query here. The first rule
//! that applies decides:
//! 1. The newest snapshot, the newest requested one, and all others that are [protected] stay.
//! 2. An expired snapshot goes.
//! 3. Autosaves that no wake needs: the latest `keep_autosaves` of each workspace stay.
//! 4. If the policy has keep rules, other snapshots that match none of them go. Safety snapshots
//!    are counted separately: a rewind costs no requested snapshot.
//! 5. Past a limit more go: autosaves first, then safety snapshots, then those of turns, then the
//!    rest, each oldest first.
//!
//! Keep rules count all ready snapshots, even expired ones, so the expiry of one never makes
//! another one kept again. For the same reason, superseded snapshots are found before expired ones.
//! A snapshot that no turn names any more is an autosave.
//! `tests/session/recovery/retention_oracle.rs` makes the same decisions over all rows at once.
//!
//! [protected]: crate::domain::snapshot::retention::protection

use crate::domain::limits::{PROTECTIONS_ENDED_AT_ONCE, REBUILT_KEPT_MS};
use crate::domain::session::usage::Stored;
use crate::domain::snapshot::retention::{Candidate, Exceeded, KeepReason, protection};
use crate::domain::{
    BackupId, DeleteReason, Result, RetentionPolicy, SandboxId, Snapshot, SnapshotState,
    SnapshotTrigger,
};
use crate::ports::database::{query, values};
use crate::session::catalogue::Catalogue;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Values of the column `class`.
const AUTO: i64 = 0;
const SAFETY: i64 = 1;
const ASKED: i64 = 2;
const TURN: i64 = 3;

const DAY_MS: i64 = 24 * 3_600_000;

/// The deletions that are due.
#[derive(Debug, Clone, PartialEq)]
pub struct Due {
    /// Snapshots to delete, each with its reason; oldest first.
    pub deletions: Vec<(Candidate, DeleteReason)>,
    /// Whether there is more to delete than `deletions`.
    pub more: bool,
    /// The snapshots that stay, without `deletions`.
    pub kept: Stored,
    /// A limit that is still exceeded once all snapshots that may be deleted are gone.
    pub exceeded: Option<Exceeded>,
    /// If nothing is due: when time makes a deletion due, in milliseconds since the epoch.
    pub next_due_ms: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Age {
    created_at_ms: i64,
    seq: i64,
}

struct Search<'a> {
    catalogue: &'a Catalogue,
    policy: &'a RetentionPolicy,
    in_use: &'a BTreeSet<BackupId>,
    now_ms: i64,
    /// Snapshots that always stay: those in use, and the newest.
    spared: BTreeSet<BackupId>,
    limit: usize,
    found: Vec<(Candidate, DeleteReason)>,
    seqs: BTreeSet<i64>,
}

impl Search<'_> {
    fn is_full(&self) -> bool {
        self.found.len() >= self.limit
    }

    /// Number of rows to read to fill the limit: some are spared, and some were found before.
    fn rows_to_read(&self) -> u64 {
        (self.spared.len() + self.limit) as u64
    }

    fn add(&mut self, rows: Vec<Snapshot>, reason: DeleteReason) -> Result<()> {
        for row in self.catalogue.candidates(rows, self.in_use)? {
            if self.is_full() {
                break;
            }
            self.add_one(row, reason);
        }
        Ok(())
    }

    /// Skips a spared snapshot, and one that was found before. Returns whether it was added.
    fn add_one(&mut self, row: Candidate, reason: DeleteReason) -> bool {
        if self.spared.contains(&row.id) || !self.seqs.insert(row.seq) {
            return false;
        }
        let expired = row.expires_at_ms.is_some_and(|at_ms| at_ms <= self.now_ms);
        self.found.push((row, if expired { DeleteReason::Expired } else { reason }));
        true
    }

    fn sum(&self) -> Stored {
        let one = |row: &Candidate| Stored { count: 1, size_bytes: row.size_bytes };
        self.found.iter().fold(Stored::default(), |sum, (row, _)| sum.plus(one(row)))
    }

    fn superseded(&mut self) -> Result<()> {
        for class in [SAFETY, ASKED] {
            if self.policy.has_keep_rules() && !self.is_full() {
                let rows = self.catalogue.superseded(class, self.policy, self.rows_to_read())?;
                self.add(rows, DeleteReason::Superseded)?;
            }
        }
        let keep = self.policy.keep_autosaves;
        for origin in self.catalogue.crowded(keep)? {
            if !self.is_full() {
                let rows =
                    self.catalogue.superseded_autosaves(&origin, keep, self.rows_to_read())?;
                self.add(rows, DeleteReason::SupersededAutosave)?;
            }
        }
        Ok(())
    }

    fn expired(&mut self) -> Result<()> {
        if self.is_full() {
            return Ok(());
        }
        let rows = self.catalogue.select_snapshots(
            "INDEXED BY snapshots_by_expiry WHERE state = 'ready' AND guard IN (0, 3)
                AND ttl_secs < 315360000 AND created_at_ms + ttl_secs * 1000 <= ?
             ORDER BY created_at_ms + ttl_secs * 1000 LIMIT ?",
            &[self.now_ms.into(), self.rows_to_read().into()],
        )?;
        self.add(rows, DeleteReason::Expired)
    }

    /// Takes what it finds off `kept`. Returns a limit that does not hold even then.
    fn past_limits(&mut self, kept: &mut Stored) -> Result<Option<Exceeded>> {
        let max_count = self.policy.max_count.map_or(u64::MAX, u64::from);
        let max_bytes = self.policy.max_bytes.unwrap_or(u64::MAX);
        for (reason, exceeded) in [
            (DeleteReason::MaxCount, Exceeded::MaxCount),
            (DeleteReason::MaxBytes, Exceeded::MaxBytes),
        ] {
            let by_bytes = exceeded == Exceeded::MaxBytes;
            let is_past = |kept: &Stored| match exceeded {
                Exceeded::MaxCount => kept.count > max_count,
                Exceeded::MaxBytes => kept.size_bytes > max_bytes,
            };
            for class in [AUTO, SAFETY, TURN, ASKED] {
                if !is_past(kept) || self.is_full() {
                    break;
                }
                let rows = self.catalogue.loose(class, by_bytes, self.rows_to_read())?;
                for row in self.catalogue.candidates(rows, self.in_use)? {
                    if !is_past(kept) || self.is_full() {
                        break;
                    }
                    let freed = Stored { count: 1, size_bytes: row.size_bytes };
                    if self.add_one(row, reason) {
                        *kept = kept.less(freed);
                    }
                }
            }
            if is_past(kept) {
                return Ok(Some(exceeded));
            }
        }
        Ok(None)
    }
}

impl Catalogue {
    /// Snapshots that the policy deletes now, at most `limit`, without those `in_use`.
    pub fn due(
        &self,
        policy: &RetentionPolicy,
        in_use: &BTreeSet<BackupId>,
        now_ms: i64,
        limit: usize,
    ) -> Result<Due> {
        let mut spared = in_use.clone();
        spared.extend(self.newest()?);
        let mut search = Search {
            catalogue: self,
            policy,
            in_use,
            now_ms,
            spared,
            // One more row shows whether there are more.
            limit: limit + 1,
            found: Vec::new(),
            seqs: BTreeSet::new(),
        };
        search.superseded()?;
        search.expired()?;
        let mut kept = self.stored()?.all.less(search.sum());
        let exceeded = search.past_limits(&mut kept)?;
        let more = search.is_full();
        let next_due_ms =
            if search.found.is_empty() { self.next_due_ms(&search.spared, now_ms)? } else { None };
        let mut deletions = search.found;
        for (left, _) in deletions.drain(limit.min(deletions.len())..) {
            kept = kept.plus(Stored { count: 1, size_bytes: left.size_bytes });
        }
        deletions.sort_by_key(|(row, _)| (row.created_at_ms, row.seq));
        Ok(Due { deletions, more, kept, exceeded: exceeded.filter(|_| !more), next_due_ms })
    }

    /// The newest ready snapshots, apart from `without`, each with the reason why it is kept.
    pub fn kept(
        &self,
        policy: &RetentionPolicy,
        in_use: &BTreeSet<BackupId>,
        now_ms: i64,
        without: &BTreeSet<i64>,
        limit: usize,
    ) -> Result<Vec<(Candidate, KeepReason)>> {
        let rows = self.select_snapshots(
            "INDEXED BY snapshots_by_age WHERE state = 'ready'
             ORDER BY created_at_ms DESC, seq DESC LIMIT ?",
            &[((limit + without.len()) as u64).into()],
        )?;
        let newest = self.newest()?;
        let mut daily = BTreeSet::new();
        for class in [SAFETY, ASKED] {
            daily.extend(self.daily(class, policy.keep_daily.unwrap_or(0))?);
        }
        let last_of = |class| policy.keep_last.map(|keep| self.last_of(class, keep)).transpose();
        let (last_safety, last_asked) = (last_of(SAFETY)?, last_of(ASKED)?);
        let reason = |row: &Candidate| {
            let age = Age { created_at_ms: row.created_at_ms, seq: row.seq };
            let last = match row.trigger {
                SnapshotTrigger::Auto | SnapshotTrigger::Turn => None,
                SnapshotTrigger::Safety => last_safety,
                SnapshotTrigger::Manual | SnapshotTrigger::Import => last_asked,
            };
            if let Some(reason) = protection(newest.contains(&row.id), row, now_ms) {
                reason
            } else if last.is_some_and(|last| last.is_none_or(|last| age >= last)) {
                KeepReason::KeepLast
            } else if daily.contains(&row.seq) {
                KeepReason::KeepDaily
            } else {
                KeepReason::Unexpired
            }
        };
        let rows = self.candidates(rows, in_use)?.into_iter();
        let rows = rows.filter(|row| !without.contains(&row.seq)).take(limit);
        Ok(rows.map(|row| (row.clone(), reason(&row))).collect())
    }

    /// The sum of the snapshots that no limit can delete.
    pub fn protected(&self, in_use: &BTreeSet<BackupId>, now_ms: i64) -> Result<Stored> {
        let over: Vec<Stored> = query(
            self.database.as_ref(),
            "SELECT COUNT(*) AS count, COALESCE(SUM(stored_bytes), 0) AS bytes
             FROM snapshots INDEXED BY snapshots_retired
             WHERE state = 'ready' AND guard = 3 AND created_at_ms + ttl_secs * 1000 <= ?",
            &[now_ms.into()],
        )?;
        let over = over.into_iter().next().unwrap_or_default();
        let mut sum = self.stored()?.guarded.less(over);
        for id in in_use {
            let Some(row) = self.snapshot(id)?.filter(|row| row.state == SnapshotState::Ready)
            else {
                continue;
            };
            let retired = row.retired_at_ms.is_some() && row.expires_at_ms() > now_ms;
            if !row.pinned && row.rebuilt_at_ms.is_none() && !retired {
                sum = sum.plus(Stored { count: 1, size_bytes: row.stored_bytes() });
            }
        }
        Ok(sum)
    }

    /// Clears the rebuild time of a few snapshots, once it no longer keeps them.
    pub fn end_rebuilt(&self, now_ms: i64) -> Result<()> {
        self.database.exec(
            "UPDATE snapshots SET rebuilt_at_ms = NULL WHERE seq IN (
                SELECT seq FROM snapshots INDEXED BY snapshots_rebuilt
                WHERE state = 'ready' AND guard = 2 AND rebuilt_at_ms <= ?
                ORDER BY rebuilt_at_ms LIMIT ?)",
            &[(now_ms - REBUILT_KEPT_MS).into(), PROTECTIONS_ENDED_AT_ONCE.into()],
        )?;
        Ok(())
    }

    /// The number of changes so far that may affect a decision of retention.
    pub fn snapshot_changes(&self) -> Result<i64> {
        let sql = "SELECT count FROM snapshot_changes";
        Ok(values(self.database.as_ref(), sql, &[])?.pop().unwrap_or(0))
    }

    fn newest(&self) -> Result<BTreeSet<BackupId>> {
        let mut newest = BTreeSet::new();
        for tail in [
            "INDEXED BY snapshots_by_age WHERE state = 'ready'",
            "INDEXED BY snapshots_by_class WHERE state = 'ready' AND class = 2",
        ] {
            let found: Vec<BackupId> = values(
                self.database.as_ref(),
                &format!(
                    "SELECT id FROM snapshots {tail} ORDER BY created_at_ms DESC, seq DESC LIMIT 1"
                ),
                &[],
            )?;
            newest.extend(found);
        }
        Ok(newest)
    }

    /// The oldest of the latest `keep` of a class. None: the class has fewer.
    fn last_of(&self, class: i64, keep: u32) -> Result<Option<Age>> {
        let rows: Vec<Age> = query(
            self.database.as_ref(),
            "SELECT created_at_ms, seq FROM snapshots INDEXED BY snapshots_by_class
             WHERE state = 'ready' AND class = ?
             ORDER BY created_at_ms DESC, seq DESC LIMIT 1 OFFSET ?",
            &[class.into(), i64::from(keep.saturating_sub(1)).into()],
        )?;
        Ok(rows.into_iter().next())
    }

    fn daily(&self, class: i64, days: u32) -> Result<BTreeSet<i64>> {
        if days == 0 {
            return Ok(BTreeSet::new());
        }
        let seqs = values(self.database.as_ref(), &daily_sql(class, days), &[])?;
        Ok(seqs.into_iter().collect())
    }

    fn superseded(
        &self,
        class: i64,
        policy: &RetentionPolicy,
        limit: u64,
    ) -> Result<Vec<Snapshot>> {
        let before = match policy.keep_last {
            None => Age { created_at_ms: 1 << 52, seq: 0 },
            Some(keep) => match self.last_of(class, keep)? {
                None => return Ok(Vec::new()),
                Some(last) => last,
            },
        };
        let daily = policy.keep_daily.map(|days| daily_sql(class, days));
        let daily = daily.map(|daily| format!("AND seq NOT IN ({daily})")).unwrap_or_default();
        self.select_snapshots(
            &format!(
                "INDEXED BY snapshots_loose WHERE state = 'ready' AND guard = 0 AND class = ?
                    AND (created_at_ms, seq) < (?, ?) {daily}
                 ORDER BY created_at_ms, seq LIMIT ?"
            ),
            &[class.into(), before.created_at_ms.into(), before.seq.into(), limit.into()],
        )
    }

    fn crowded(&self, keep: u32) -> Result<Vec<SandboxId>> {
        let sql = "SELECT origin_sandbox_id FROM autosave_counts WHERE count > ?";
        values(self.database.as_ref(), sql, &[i64::from(keep).into()])
    }

    /// Autosaves of a workspace that no wake needs, without the latest `keep`.
    fn superseded_autosaves(
        &self,
        origin: &SandboxId,
        keep: u32,
        limit: u64,
    ) -> Result<Vec<Snapshot>> {
        self.select_snapshots(
            "WHERE seq IN (SELECT seq FROM snapshots INDEXED BY snapshots_autosaves
                WHERE state = 'ready' AND class = 0 AND retired_at_ms IS NULL
                    AND origin_sandbox_id = ?
                    AND NOT EXISTS (SELECT 1 FROM heads JOIN workspaces USING (sandbox_id)
                        WHERE backup_id = snapshots.id AND workspaces.state <> 'destroyed')
                ORDER BY created_at_ms DESC, seq DESC LIMIT -1 OFFSET ?)
                AND guard = 0 LIMIT ?",
            &[origin.as_str().into(), i64::from(keep).into(), limit.into()],
        )
    }

    /// The oldest of a class without a `guard`; with `sized`, only those with a size above 0.
    fn loose(&self, class: i64, sized: bool, limit: u64) -> Result<Vec<Snapshot>> {
        let sized = if sized { "AND size_bytes > 0" } else { "" };
        self.select_snapshots(
            &format!(
                "INDEXED BY snapshots_loose WHERE state = 'ready' AND guard = 0 AND class = ? {sized}
                 ORDER BY created_at_ms, seq LIMIT ?"
            ),
            &[class.into(), limit.into()],
        )
    }

    /// When the next snapshot expires, or a rebuild no longer keeps one.
    fn next_due_ms(&self, spared: &BTreeSet<BackupId>, now_ms: i64) -> Result<Option<i64>> {
        let limit = spared.len() as u64 + 1;
        let expiring = self.select_snapshots(
            "INDEXED BY snapshots_by_expiry WHERE state = 'ready' AND guard IN (0, 3)
                AND ttl_secs < 315360000 AND created_at_ms + ttl_secs * 1000 > ?
             ORDER BY created_at_ms + ttl_secs * 1000 LIMIT ?",
            &[now_ms.into(), limit.into()],
        )?;
        let rebuilt = self.select_snapshots(
            "INDEXED BY snapshots_rebuilt WHERE state = 'ready' AND guard = 2
             ORDER BY rebuilt_at_ms LIMIT ?",
            &[limit.into()],
        )?;
        let first = |rows: Vec<Snapshot>| rows.into_iter().find(|row| !spared.contains(&row.id));
        let expires_ms = first(expiring).map(|row| row.expires_at_ms());
        let rebuilt_ms = first(rebuilt).and_then(|row| row.rebuilt_at_ms);
        let until_ms = rebuilt_ms.map(|at_ms| at_ms + REBUILT_KEPT_MS);
        Ok([expires_ms, until_ms].into_iter().flatten().min())
    }
}

/// The `seq` of the latest of a class on each of the latest `days` days that have one.
fn daily_sql(class: i64, days: u32) -> String {
    format!(
        "WITH RECURSIVE days (day, seq) AS (
            SELECT 1, (SELECT seq FROM snapshots INDEXED BY snapshots_by_class
                WHERE state = 'ready' AND class = {class}
                ORDER BY created_at_ms DESC, seq DESC LIMIT 1)
            UNION ALL
            SELECT day + 1, (SELECT earlier.seq FROM snapshots AS earlier INDEXED BY snapshots_by_class
                WHERE earlier.state = 'ready' AND earlier.class = {class} AND earlier.created_at_ms < (
                    SELECT created_at_ms - created_at_ms % {DAY_MS} FROM snapshots AS found
                    WHERE found.seq = days.seq)
                ORDER BY earlier.created_at_ms DESC, earlier.seq DESC LIMIT 1)
            FROM days WHERE seq IS NOT NULL AND day < {days})
         SELECT seq FROM days WHERE seq IS NOT NULL"
    )
}
