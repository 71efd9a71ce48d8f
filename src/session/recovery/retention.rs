//! Keep storage bounded: show what the policy would delete, and delete it.

use crate::domain::limits::{PRUNES_AT_ONCE, RECOVER_AFTER_MS, RETENTION_SHOWN};
use crate::domain::snapshot::retention::{Candidate, Exceeded, Verdict};
use crate::domain::time::rfc3339;
use crate::domain::{BackupId, DeleteReason, ErrorCode, Result, RetentionPolicy, SnapshotState};
use crate::session::Session;
use crate::session::catalogue::Due;
use crate::session::parts::{Context, Deleter, InFlight};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::vec::IntoIter;

/// What the policy does with the session's snapshots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RetentionReport {
    /// The policy, every default filled in.
    pub policy: RetentionPolicyView,
    /// Snapshots that are kept, beside those that are counted as deleted.
    pub kept_count: u64,
    /// Bytes of the kept archives.
    pub kept_bytes: u64,
    /// Number of snapshots to delete, at most 1,000: if it is 1,000, there may be more. After
    /// `retain`, the number that were deleted.
    pub delete_count: u64,
    /// Bytes of the deleted archives.
    pub freed_bytes: u64,
    /// Each snapshot and its verdict: those to delete first, oldest first; then
    /// those that are kept, newest first. At most 1,000.
    pub decisions: Vec<DecisionView>,
    /// Whether there are more than are shown.
    pub truncated: bool,
    /// A limit that is still exceeded once all snapshots that may be deleted are gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exceeded: Option<Exceeded>,
    /// When the next snapshot is deleted if only time passes, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_due_at: Option<String>,
}

/// A policy as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RetentionPolicyView {
    /// Time to live of automatic and safety snapshots. If it was set, also of other snapshots whose
    /// caller sets none; otherwise those live 30 days after the session's last use.
    pub ttl_seconds: u64,
    /// Only this many of the latest snapshots are kept.
    pub keep_last: Option<u32>,
    /// Also the latest snapshot of each day, for this many days.
    pub keep_daily: Option<u32>,
    /// How many autosaves of each workspace are kept, beside those that a wake needs.
    pub keep_autosaves: u32,
    /// How many turns are kept.
    pub keep_turns: u32,
    /// Maximum number of snapshots.
    pub max_count: Option<u32>,
    /// Maximum bytes.
    pub max_bytes: Option<u64>,
    /// Seconds between two requested snapshots.
    pub min_interval_seconds: i64,
    /// Seconds after which an unused workspace that is not active is retired.
    pub retire_after_seconds: i64,
}

impl From<RetentionPolicy> for RetentionPolicyView {
    fn from(policy: RetentionPolicy) -> Self {
        Self {
            ttl_seconds: policy.ttl.as_secs(),
            keep_last: policy.keep_last,
            keep_daily: policy.keep_daily,
            keep_autosaves: policy.keep_autosaves,
            keep_turns: policy.keep_turns,
            max_count: policy.max_count,
            max_bytes: policy.max_bytes,
            min_interval_seconds: policy.min_interval_ms / 1_000,
            retire_after_seconds: policy.retire_after_ms / 1_000,
        }
    }
}

/// What a plan depends on, besides the policy and the time. Time alone only adds deletions.
#[derive(PartialEq)]
struct Basis {
    changes: i64,
    in_use: BTreeSet<BackupId>,
}

/// One snapshot, and whether it stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DecisionView {
    /// Its id.
    pub id: BackupId,
    /// Keep or delete, and why.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Size of its archive.
    pub size_bytes: u64,
    /// RFC 3339.
    pub created_at: String,
}

parts!(Retention { context: Context, in_flight: InFlight, deleter: Deleter });

impl Session {
    /// Shows what the policy would delete now, and what that would free. Changes nothing.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open.
    pub fn plan_retention(&self) -> Result<RetentionReport> {
        Retention::from(self).plan_retention()
    }

    /// Deletes now what the policy says. The alarm deletes what one call does not get to.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open; `UNAVAILABLE`: the alarm finishes what was begun.
    pub async fn retain(&self) -> Result<RetentionReport> {
        Retention::from(self).retain().await
    }
}

impl Retention<'_> {
    /// As [`Session::plan_retention`].
    pub fn plan_retention(&self) -> Result<RetentionReport> {
        let policy = self.context.retention_policy(&self.context.load()?)?;
        let (in_use, now_ms) = (self.in_flight.snapshots_in_use()?, self.context.now_ms());
        let counted = self.with_room_for_lent(policy)?;
        let due = self.context.catalogue.due(&counted, &in_use, now_ms, RETENTION_SHOWN)?;
        let deleted = due.deletions.iter();
        let mut decisions: Vec<DecisionView> =
            deleted.map(|(row, reason)| view(row, Verdict::Delete(*reason))).collect();
        if !due.more {
            let gone: BTreeSet<i64> = due.deletions.iter().map(|(row, _)| row.seq).collect();
            let left = RETENTION_SHOWN - gone.len();
            let kept = self.context.catalogue.kept(&policy, &in_use, now_ms, &gone, left)?;
            decisions.extend(kept.iter().map(|(row, reason)| view(row, Verdict::Keep(*reason))));
        }
        let delete_count = due.deletions.len() as u64;
        Ok(RetentionReport {
            policy: policy.into(),
            kept_count: due.kept.count,
            kept_bytes: due.kept.size_bytes,
            delete_count,
            freed_bytes: due.deletions.iter().map(|(row, _)| row.size_bytes).sum(),
            truncated: due.more || delete_count + due.kept.count > decisions.len() as u64,
            decisions,
            exceeded: due.exceeded,
            next_due_at: due.next_due_ms.map(rfc3339),
        })
    }

    /// As [`Session::retain`].
    pub async fn retain(&self) -> Result<RetentionReport> {
        self.context.load()?.writable()?;
        let planned = self.plan_retention()?;
        let pruned = self.prune_all().await?;
        let now = self.plan_retention()?;
        Ok(RetentionReport {
            delete_count: pruned.len() as u64,
            freed_bytes: pruned.iter().map(|decision| decision.size_bytes).sum(),
            decisions: planned.decisions,
            truncated: planned.truncated,
            ..now
        })
    }

    /// Executes part of the plan, and sets the alarm for the rest. Order for each snapshot: alarm,
    /// `deleting` row and event, `meta.json`, archive, `deleted` row, as for a requested delete.
    pub(crate) async fn prune_all(&self) -> Result<Vec<DecisionView>> {
        let mut pruned = Vec::new();
        self.context.catalogue.end_rebuilt(self.context.now_ms())?;
        if self.context.catalogue.renew_used(self.context.now_ms())? {
            // The alarm writes their new expiry into `meta.json`.
            self.context.ports.alarm.schedule_by(self.context.now_ms()).await?;
        }
        let Some(due) = self.due(1)? else { return Ok(pruned) };
        if due.deletions.is_empty() {
            let renewal = self.context.catalogue.renewal_due_ms(self.context.now_ms())?;
            if let Some(due_ms) = due.next_due_ms.into_iter().chain(renewal).min() {
                self.context.ports.alarm.schedule_by(due_ms).await?;
            }
            return Ok(pruned);
        }
        // The alarm is set before the first row; a later alarm also does the rest.
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        let mut planned: Option<(Basis, IntoIter<(Candidate, DeleteReason)>)> = None;
        while pruned.len() < PRUNES_AT_ONCE {
            // No await from this look to the row: a snapshot that is pinned, read or needed stays.
            let basis = self.basis()?;
            let (basis, mut left) = match planned.take() {
                Some((planned_on, left)) if planned_on == basis => (basis, left),
                _ => {
                    let due = self.due(PRUNES_AT_ONCE - pruned.len())?;
                    (basis, due.map(|due| due.deletions).unwrap_or_default().into_iter())
                }
            };
            let Some((candidate, reason)) = left.next() else { break };
            pruned.push(view(&candidate, Verdict::Delete(reason)));
            // The plan accounts for this deletion; any other change needs a new plan.
            planned = Some((Basis { changes: basis.changes + 1, ..basis }, left));
            self.deleter.prune(&candidate.id, reason, candidate.size_bytes).await?;
        }
        Ok(pruned)
    }

    /// None: the session was never opened, or its configuration is no longer valid.
    fn due(&self, limit: usize) -> Result<Option<Due>> {
        let loaded = match self.context.load() {
            Ok(loaded) => loaded,
            Err(error) if error.code == ErrorCode::Internal => return Err(error),
            Err(_nothing_to_go_by) => return Ok(None),
        };
        let policy = self.with_room_for_lent(self.context.retention_policy(&loaded)?)?;
        self.context
            .catalogue
            .due(&policy, &self.in_flight.snapshots_in_use()?, self.context.now_ms(), limit)
            .map(Some)
    }

    /// Raises the limits, so that other sessions' leases take none of this session's room.
    fn with_room_for_lent(&self, mut policy: RetentionPolicy) -> Result<RetentionPolicy> {
        if policy.max_count.is_none() && policy.max_bytes.is_none() {
            return Ok(policy);
        }
        let own = self.in_flight.snapshots_in_own_use()?;
        for id in self
            .context
            .catalogue
            .lent(self.context.now_ms())?
            .into_iter()
            .filter(|id| !own.contains(id))
        {
            let Some(row) = self.context.catalogue.snapshot(&id)? else { continue };
            let guarded = row.pinned || row.rebuilt_at_ms.is_some() || row.retired_at_ms.is_some();
            if row.state == SnapshotState::Ready && !guarded {
                policy.max_count = policy.max_count.map(|max| max.saturating_add(1));
                let size_bytes = row.size_bytes.unwrap_or(0);
                policy.max_bytes = policy.max_bytes.map(|max| max.saturating_add(size_bytes));
            }
        }
        Ok(policy)
    }

    fn basis(&self) -> Result<Basis> {
        let changes = self.context.catalogue.snapshot_changes()?;
        Ok(Basis { changes, in_use: self.in_flight.snapshots_in_use()? })
    }

    pub(crate) fn retention_due_ms(&self) -> Result<Option<i64>> {
        let due = self.due(1)?.and_then(|due| {
            let now = due.deletions.first().map(|_| self.context.now_ms());
            now.or(due.next_due_ms)
        });
        Ok(due
            .into_iter()
            .chain(self.context.catalogue.renewal_due_ms(self.context.now_ms())?)
            .min())
    }
}

fn view(row: &Candidate, verdict: Verdict) -> DecisionView {
    DecisionView {
        id: row.id.clone(),
        verdict,
        size_bytes: row.size_bytes,
        created_at: rfc3339(row.created_at_ms),
    }
}
