//! Keep storage bounded: show what the policy would delete, and delete it.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::BackupId;
use crate::domain::limits::{PRUNES_AT_ONCE, RECOVER_AFTER_MS, RETENTION_SHOWN};
use crate::domain::session::event::Event;
use crate::domain::snapshot::SnapshotState;
use crate::domain::snapshot::backup::rfc3339;
use crate::domain::snapshot::retention::{
    Candidate, DeleteReason, Exceeded, RetentionPolicy, Verdict,
};
use crate::domain::workspace::Workspace;
use crate::session::catalogue::Due;
use crate::session::{Host, LoadedSession};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use std::vec::IntoIter;

/// What the policy makes of the session's snapshots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RetentionReport {
    /// The policy, every default filled in.
    pub policy: RetentionPolicyView,
    /// Snapshots that are kept, beside those that are counted as deleted.
    pub kept_count: u64,
    /// Bytes of their archives.
    pub kept_bytes: u64,
    /// Snapshots to delete, at most 1,000: there may be more if there are that
    /// many; after `retain`, those that were deleted.
    pub delete_count: u64,
    /// Bytes of their archives.
    pub freed_bytes: u64,
    /// Each snapshot and its verdict: those to delete first, oldest first; then
    /// those that are kept, newest first. At most 1,000.
    pub decisions: Vec<DecisionView>,
    /// There are more than are shown.
    pub truncated: bool,
    /// A limit that what may not be deleted exceeds alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exceeded: Option<Exceeded>,
    /// When time alone has the next one deleted, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_due_at: Option<String>,
}

/// A policy as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RetentionPolicyView {
    /// Time to live of a snapshot whose taker names none.
    pub ttl_seconds: u64,
    /// Only so many of the latest are kept.
    pub keep_last: Option<u32>,
    /// And the latest of each of so many days.
    pub keep_daily: Option<u32>,
    /// Autosaves of each workspace kept beside those that a wake needs.
    pub keep_autosaves: u32,
    /// Snapshots at most.
    pub max_count: Option<u32>,
    /// Bytes at most.
    pub max_bytes: Option<u64>,
    /// Seconds between two snapshots that are asked for.
    pub min_interval_seconds: i64,
    /// Before an unused workspace that is not active is retired.
    pub retire_after_seconds: i64,
}

impl From<RetentionPolicy> for RetentionPolicyView {
    fn from(policy: RetentionPolicy) -> Self {
        Self {
            ttl_seconds: policy.ttl.as_secs(),
            keep_last: policy.keep_last,
            keep_daily: policy.keep_daily,
            keep_autosaves: policy.keep_autosaves,
            max_count: policy.max_count,
            max_bytes: policy.max_bytes,
            min_interval_seconds: policy.min_interval_ms / 1_000,
            retire_after_seconds: policy.retire_after_ms / 1_000,
        }
    }
}

/// What a plan was made from, beside the policy and the time: what time alone
/// changes has more deleted, never less.
#[derive(PartialEq)]
struct Basis {
    changes: i64,
    in_use: BTreeSet<BackupId>,
}

/// One snapshot and what becomes of it.
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

impl Host {
    /// Shows what the policy would delete now, and what that would free.
    /// Changes nothing.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open.
    pub fn plan_retention(&self) -> Result<RetentionReport> {
        let policy = self.retention_policy(&self.load()?)?;
        let (in_use, now_ms) = (self.snapshots_in_use()?, self.now_ms());
        let counted = self.with_room_for_lent(policy)?;
        let due = self.catalogue.due(&counted, &in_use, now_ms, RETENTION_SHOWN)?;
        let deleted = due.deletions.iter();
        let mut decisions: Vec<DecisionView> =
            deleted.map(|(row, reason)| view(row, Verdict::Delete(*reason))).collect();
        if !due.more {
            let gone: BTreeSet<i64> = due.deletions.iter().map(|(row, _)| row.seq).collect();
            let left = RETENTION_SHOWN - gone.len();
            let kept = self.catalogue.kept(&policy, &in_use, now_ms, &gone, left)?;
            decisions.extend(kept.iter().map(|(row, reason)| view(row, Verdict::Keep(*reason))));
        }
        let delete_count = due.deletions.len() as u64;
        Ok(RetentionReport {
            policy: policy.into(),
            kept_count: due.kept.count,
            kept_bytes: due.kept.bytes,
            delete_count,
            freed_bytes: due.deletions.iter().map(|(row, _)| row.size_bytes).sum(),
            truncated: due.more || delete_count + due.kept.count > decisions.len() as u64,
            decisions,
            exceeded: due.exceeded,
            next_due_at: due.next_due_ms.map(rfc3339),
        })
    }

    /// Deletes what the policy says, now rather than when the alarm is due. What
    /// one call does not get to, the alarm does.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open; `UNAVAILABLE` where R2 does not
    /// answer: the alarm finishes what was begun.
    pub async fn retain(&self) -> Result<RetentionReport> {
        self.load()?.writable()?;
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

    /// Executes the plan, some at once, and sets the alarm for the rest.
    ///
    /// Order for each: alarm, `deleting` row and event, `meta.json`, archive,
    /// `deleted` row, as a delete that is asked for.
    pub(crate) async fn prune_all(&self) -> Result<Vec<DecisionView>> {
        let mut pruned = Vec::new();
        self.catalogue.end_rebuilt(self.now_ms())?;
        let Some(due) = self.due(1)? else { return Ok(pruned) };
        if due.deletions.is_empty() {
            if let Some(due_ms) = due.next_due_ms {
                self.ports.alarm.schedule_by(due_ms).await?;
            }
            return Ok(pruned);
        }
        // Before the first row, and for what is left to a later alarm.
        self.ports.alarm.schedule_by(self.now_ms() + RECOVER_AFTER_MS).await?;
        let mut planned: Option<(Basis, IntoIter<(Candidate, DeleteReason)>)> = None;
        while pruned.len() < PRUNES_AT_ONCE {
            // No await from this look to the row: what is pinned, read or needed
            // by then is not deleted.
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
            // This deletion is the one change that the rest of the plan knows of.
            planned = Some((Basis { changes: basis.changes + 1, ..basis }, left));
            self.prune(&candidate.id, reason, candidate.size_bytes).await?;
        }
        Ok(pruned)
    }

    /// Deletes one ready snapshot for a reason that was just decided.
    pub(crate) async fn prune(
        &self,
        id: &BackupId,
        reason: DeleteReason,
        size_bytes: u64,
    ) -> Result<()> {
        let binding = self.require_snapshot(id)?.binding;
        self.catalogue.set_snapshot_state(id, SnapshotState::Deleting, self.now_ms())?;
        let event = Event::SnapshotPruned { backup_id: id.clone(), reason, size_bytes };
        self.catalogue.add_event(self.now_ms(), &event)?;
        let _working = self.work_on(id.as_str());
        self.finish_delete(id, &binding).await
    }

    /// What is due, at most `limit`, and when the next is.
    ///
    /// None: the session was never opened, or its configuration no longer holds.
    fn due(&self, limit: usize) -> Result<Option<Due>> {
        let loaded = match self.load() {
            Ok(loaded) => loaded,
            Err(error) if error.code == ErrorCode::Internal => return Err(error),
            Err(_nothing_to_go_by) => return Ok(None),
        };
        let policy = self.with_room_for_lent(self.retention_policy(&loaded)?)?;
        self.catalogue.due(&policy, &self.snapshots_in_use()?, self.now_ms(), limit).map(Some)
    }

    /// The policy with limits that leave out what stays only because it is lent:
    /// other sessions' leases take none of this one's room.
    fn with_room_for_lent(&self, mut policy: RetentionPolicy) -> Result<RetentionPolicy> {
        if policy.max_count.is_none() && policy.max_bytes.is_none() {
            return Ok(policy);
        }
        let own = self.snapshots_in_own_use()?;
        for id in self.catalogue.lent(self.now_ms())?.into_iter().filter(|id| !own.contains(id)) {
            let Some(row) = self.catalogue.snapshot(&id)? else { continue };
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
        let changes = self.catalogue.snapshot_changes()?;
        Ok(Basis { changes, in_use: self.snapshots_in_use()? })
    }

    /// When retention has something to do, in milliseconds since the epoch.
    pub(crate) fn retention_due_ms(&self) -> Result<Option<i64>> {
        Ok(self.due(1)?.and_then(|due| {
            let now = due.deletions.first().map(|_| self.now_ms());
            now.or(due.next_due_ms)
        }))
    }

    /// The session's policy; the Worker's variable `RETENTION` has the defaults.
    pub(crate) fn retention_policy(&self, loaded: &LoadedSession) -> Result<RetentionPolicy> {
        loaded.config.retention.check("retention", &self.settings.retention)
    }

    /// Refuses a snapshot that is asked for too soon, or for which there would
    /// be no room whatever were deleted. Synchronous, so that it holds together
    /// with the row inserted after it.
    ///
    /// # Errors
    /// `RATE_LIMITED` with `retryAfterMs`; `QUOTA_EXCEEDED`.
    pub(crate) fn check_room(&self, open: &LoadedSession, workspace: &Workspace) -> Result<()> {
        let policy = self.retention_policy(open)?;
        let now_ms = self.now_ms();
        if let Some(wait_ms) = policy.wait_ms(self.catalogue.last_asked_ms()?, now_ms) {
            return Err(Error::new(
                ErrorCode::RateLimited,
                format!(
                    "this session may take a snapshot every {} s",
                    policy.min_interval_ms / 1_000
                ),
            )
            .with_hint("take it later, or name what is to be kept with the snapshot before")
            .with_details(json!({ "retryAfterMs": wait_ms })));
        }
        if policy.max_count.is_none() && policy.max_bytes.is_none() {
            return Ok(());
        }
        // What only another session needs is no reason to refuse.
        let mut in_use = self.snapshots_in_own_use()?;
        if let Some(head) = self.released_head(open, workspace)? {
            in_use.remove(&head);
        }
        let kept = self.catalogue.protected(&in_use, now_ms)?;
        // How large it will be is not known; it takes something.
        let exceeded = if policy.max_count.is_some_and(|max| kept.count >= u64::from(max)) {
            Exceeded::MaxCount
        } else if policy.max_bytes.is_some_and(|max| kept.bytes >= max) {
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
            "limit": exceeded, "keptCount": kept.count, "keptBytes": kept.bytes,
        })))
    }

    /// A workspace that is saved anew no longer needs what it would have woken
    /// from: that, unless something else needs it.
    fn released_head(
        &self,
        open: &LoadedSession,
        workspace: &Workspace,
    ) -> Result<Option<BackupId>> {
        let config = &open.config;
        let Some(head) = &workspace.head_backup_id else { return Ok(None) };
        if !config.saved_dirs.are_in(&config.snapshot_dir)
            || self.catalogue.is_head_elsewhere(head, &workspace.sandbox_id)?
            || self.is_being_read(head)?
        {
            return Ok(None);
        }
        Ok(Some(head.clone()))
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
