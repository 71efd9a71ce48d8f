//! Keep storage bounded: show what the policy would delete, and delete it.

use super::{Host, Opened};
use crate::domain::backup::rfc3339;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::event::Event;
use crate::domain::ids::BackupId;
use crate::domain::limits::{PRUNES_AT_ONCE, RETENTION_SHOWN, SETTLE_AFTER_MS};
use crate::domain::retention::{
    Candidate, DeleteReason, Exceeded, RetentionPlan, RetentionPolicy, Verdict, plan,
};
use crate::domain::snapshot::{SnapshotState, SnapshotTrigger};
use crate::domain::workspace::Workspace;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What the policy makes of the session's snapshots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RetentionReport {
    /// The policy, every default filled in.
    pub policy: RetentionPolicyView,
    /// Snapshots that are kept.
    pub kept_count: u64,
    /// Bytes of their archives.
    pub kept_bytes: u64,
    /// Snapshots to delete; after `retain`, those that were deleted.
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
        let policy = self.retention_policy(&self.known()?)?;
        let plan = plan(
            &self.catalogue.retention_candidates(&self.snapshots_in_use()?)?,
            &policy,
            self.now_ms(),
        );
        let deleted = plan.deletions().map(|(row, reason)| (row, Verdict::Delete(reason)));
        let kept = plan.decisions.iter().map(|decision| (&decision.candidate, decision.verdict));
        let kept = kept.filter(|(_, verdict)| matches!(verdict, Verdict::Keep(_)));
        let views = deleted.chain(kept).take(RETENTION_SHOWN);
        Ok(RetentionReport {
            policy: policy.into(),
            kept_count: plan.kept_count,
            kept_bytes: plan.kept_bytes,
            delete_count: plan.deletions().count() as u64,
            freed_bytes: plan.freed_bytes,
            decisions: views.map(|(row, verdict)| view(row, verdict)).collect(),
            truncated: plan.decisions.len() > RETENTION_SHOWN,
            exceeded: plan.exceeded,
            next_due_at: plan.next_due_ms.map(rfc3339),
        })
    }

    /// Deletes what the policy says, now rather than when the alarm is due. What
    /// one call does not get to, the alarm does.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open; `UNAVAILABLE` where R2 does not
    /// answer: the alarm finishes what was begun.
    pub async fn retain(&self) -> Result<RetentionReport> {
        self.known()?.writable()?;
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
    pub(super) async fn prune_all(&self) -> Result<Vec<DecisionView>> {
        let mut pruned = Vec::new();
        loop {
            // No await from this plan to the row: what is pinned, read or needed
            // by then is not in it.
            let Some(plan) = self.current_plan()? else { return Ok(pruned) };
            let Some((candidate, reason)) = plan.deletions().next() else {
                if let Some(due_ms) = plan.next_due_ms {
                    self.ports.alarm.wake_by(due_ms).await?;
                }
                return Ok(pruned);
            };
            if pruned.is_empty() || pruned.len() >= PRUNES_AT_ONCE {
                // Before the first row, and again for what is left to a later alarm.
                self.ports.alarm.wake_by(self.now_ms() + SETTLE_AFTER_MS).await?;
                if pruned.len() >= PRUNES_AT_ONCE {
                    return Ok(pruned);
                }
                // The await is over: look again.
                let still = self.current_plan()?.is_some_and(|plan| {
                    plan.deletions()
                        .next()
                        .is_some_and(|(row, why)| row == candidate && why == reason)
                });
                if !still {
                    continue;
                }
            }
            let id = candidate.id.clone();
            pruned.push(view(candidate, Verdict::Delete(reason)));
            self.prune(&id, reason, candidate.size_bytes).await?;
        }
    }

    /// Deletes one ready snapshot for a reason that was just decided.
    pub(super) async fn prune(
        &self,
        id: &BackupId,
        reason: DeleteReason,
        size_bytes: u64,
    ) -> Result<()> {
        let binding = self.require_snapshot(id)?.binding;
        self.catalogue.set_snapshot_state(id, SnapshotState::Deleting)?;
        let event = Event::SnapshotPruned { backup_id: id.clone(), reason, size_bytes };
        self.catalogue.add_event(self.now_ms(), &event)?;
        let _working = self.work_on(id.as_str());
        self.finish_delete(id, &binding).await
    }

    /// What is due, and when the next is. Without keep rules and limits it is
    /// made of few rows, and its sums are not those of the session.
    ///
    /// None: the session was never opened, or its configuration no longer holds.
    fn current_plan(&self) -> Result<Option<RetentionPlan>> {
        let known = match self.known() {
            Ok(known) => known,
            Err(error) if error.code == ErrorCode::Internal => return Err(error),
            Err(_nothing_to_go_by) => return Ok(None),
        };
        let policy = self.retention_policy(&known)?;
        let (in_use, now_ms) = (self.snapshots_in_use()?, self.now_ms());
        let candidates = if policy.counts_all() {
            self.catalogue.retention_candidates(&in_use)?
        } else {
            self.catalogue.retention_candidates_due(&in_use, now_ms, PRUNES_AT_ONCE)?
        };
        Ok(Some(plan(&candidates, &policy, now_ms)))
    }

    /// When retention has something to do, in milliseconds since the epoch.
    pub(super) fn retention_due_ms(&self) -> Result<Option<i64>> {
        Ok(self.current_plan()?.and_then(|plan| {
            let now = plan.deletions().next().map(|_| self.now_ms());
            now.or(plan.next_due_ms)
        }))
    }

    /// The session's policy; the Worker's variable `RETENTION` has the defaults.
    pub(super) fn retention_policy(&self, known: &Opened) -> Result<RetentionPolicy> {
        known.config.retention.check("retention", &self.settings.retention)
    }

    /// Refuses a snapshot that is asked for too soon, or for which there would
    /// be no room whatever were deleted. Synchronous, so that it holds together
    /// with the row inserted after it.
    ///
    /// # Errors
    /// `RATE_LIMITED` with `retryAfterMs`; `QUOTA_EXCEEDED`.
    pub(super) fn check_room(&self, opened: &Opened, workspace: &Workspace) -> Result<()> {
        let policy = self.retention_policy(opened)?;
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
        let mut rows = self.catalogue.retention_candidates(&self.snapshots_in_use()?)?;
        self.release_head(opened, workspace, &mut rows)?;
        rows.push(Candidate {
            id: BackupId::from_random([0; 16]),
            origin: workspace.sandbox_id.clone(),
            seq: i64::MAX,
            created_at_ms: i64::MAX,
            expires_at_ms: None,
            // How large it will be is not known; it takes something.
            size_bytes: 1,
            trigger: SnapshotTrigger::Manual,
            pinned: false,
            head: true,
            being_read: false,
            rebuilt_until_ms: None,
            retired: false,
        });
        let plan = plan(&rows, &policy, now_ms);
        let Some(exceeded) = plan.exceeded else { return Ok(()) };
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
            "limit": exceeded, "keptCount": plan.kept_count - 1, "keptBytes": plan.kept_bytes - 1,
        })))
    }

    /// A workspace that is saved anew no longer needs what it would have woken from.
    fn release_head(
        &self,
        opened: &Opened,
        workspace: &Workspace,
        rows: &mut [Candidate],
    ) -> Result<()> {
        let config = &opened.config;
        let Some(head) = &workspace.head_backup_id else { return Ok(()) };
        if !config.saved_dirs.are_in(&config.snapshot_dir)
            || self.catalogue.is_head_elsewhere(head, &workspace.sandbox_id)?
        {
            return Ok(());
        }
        for row in rows.iter_mut().filter(|row| &row.id == head) {
            row.head = false;
        }
        Ok(())
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
