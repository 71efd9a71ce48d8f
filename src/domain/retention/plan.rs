//! The planner: rows, a policy and the time in; a verdict with its reason for
//! each row out.

#[cfg(test)]
mod tests;

use super::RetentionPolicy;
use crate::domain::ids::{BackupId, SandboxId};
use crate::domain::snapshot::SnapshotTrigger;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

const DAY_MS: i64 = 24 * 3_600_000;

/// A ready snapshot as the planner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub id: BackupId,
    /// The workspace that it was taken of.
    pub origin: SandboxId,
    /// Order of creation, where two have the same time.
    pub seq: i64,
    /// Milliseconds since the epoch.
    pub created_at_ms: i64,
    /// Milliseconds since the epoch; none while it does not expire.
    pub expires_at_ms: Option<i64>,
    /// Size of its archive.
    pub size_bytes: u64,
    /// Why it was taken: automatic only while nobody has given it a name.
    pub trigger: SnapshotTrigger,
    /// Whether its session pinned it.
    pub pinned: bool,
    /// Whether a workspace would wake from it.
    pub head: bool,
    /// Whether a fork is being made from it.
    pub being_read: bool,
    /// Until when it stays because a rebuild put it back, in milliseconds since
    /// the epoch: that it was a workspace's head is lost.
    pub rebuilt_until_ms: Option<i64>,
    /// Whether it is the last save of a workspace that was retired.
    pub retired: bool,
}

/// Why a snapshot is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum KeepReason {
    /// It is the latest of the session, or the latest that was asked for.
    Newest,
    /// Its session pinned it.
    Pinned,
    /// A workspace would wake from it.
    Head,
    /// A fork is being made from it.
    BeingRead,
    /// A rebuild put it back less than a week ago.
    Rebuilt,
    /// It is the last save of a workspace that was retired, and its time is not up.
    Retired,
    /// It is one of the last.
    KeepLast,
    /// It is the last of its day.
    KeepDaily,
    /// Its time is not up, and nothing says otherwise.
    Unexpired,
}

/// Why a snapshot is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum DeleteReason {
    /// Its time is up.
    Expired,
    /// There are keep rules, and it falls under none.
    Superseded,
    /// There are later autosaves.
    SupersededAutosave,
    /// There are more than the policy allows.
    MaxCount,
    /// They are larger than the policy allows.
    MaxBytes,
    /// An operator's rule asked for it.
    Operator,
}

/// What becomes of one snapshot, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(tag = "verdict", content = "reason", rename_all = "camelCase")]
pub enum Verdict {
    /// It stays.
    Keep(KeepReason),
    /// It goes.
    Delete(DeleteReason),
}

/// A candidate and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The snapshot.
    pub candidate: Candidate,
    /// What becomes of it.
    pub verdict: Verdict,
}

impl Decision {
    const fn is_kept(&self) -> bool {
        matches!(self.verdict, Verdict::Keep(_))
    }

    const fn is_protected(&self) -> bool {
        matches!(
            self.verdict,
            Verdict::Keep(
                KeepReason::Newest
                    | KeepReason::Pinned
                    | KeepReason::Head
                    | KeepReason::BeingRead
                    | KeepReason::Rebuilt
                    | KeepReason::Retired
            )
        )
    }
}

/// What becomes of a session's snapshots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetentionPlan {
    /// Newest first.
    pub decisions: Vec<Decision>,
    /// How many are kept.
    pub kept_count: u64,
    /// Bytes of those that are kept.
    pub kept_bytes: u64,
    /// Bytes that executing it frees.
    pub freed_bytes: u64,
    /// A limit that what may not be deleted exceeds alone.
    pub exceeded: Option<Exceeded>,
    /// When time alone changes the plan next, in milliseconds since the epoch.
    pub next_due_ms: Option<i64>,
}

/// A limit that cannot be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Exceeded {
    /// `maxCount`.
    MaxCount,
    /// `maxBytes`.
    MaxBytes,
}

impl RetentionPlan {
    /// The snapshots to delete, oldest first.
    pub fn deletions(&self) -> impl Iterator<Item = (&Candidate, DeleteReason)> {
        self.decisions.iter().rev().filter_map(|decision| match decision.verdict {
            Verdict::Delete(reason) => Some((&decision.candidate, reason)),
            Verdict::Keep(_) => None,
        })
    }
}

/// Decides what becomes of each ready snapshot of a session.
///
/// In this order, the first that applies:
/// 1. The newest, and the newest that was asked for, a pinned one, one that a
///    wake needs, one being read, one that was rebuilt lately and the last save
///    of a retired workspace, until its time is up, stay, whatever else holds.
/// 2. One whose time is up goes.
/// 3. Of each workspace's autosaves that no wake needs the latest
///    `keep_autosaves` stay.
/// 4. Where there are keep rules, those of the others that fall under none go.
///    Safety snapshots count for themselves: a rewind costs nothing that was
///    asked for.
/// 5. Past a limit more go: autosaves first, then safety snapshots, then the
///    rest, each oldest first.
///
/// Keep rules count all there are, expired ones too: so what time does to one
/// snapshot never brings another one back.
#[must_use]
pub fn plan(candidates: &[Candidate], policy: &RetentionPolicy, now_ms: i64) -> RetentionPlan {
    let mut sorted = candidates.to_vec();
    sorted.sort_by_key(|candidate| Reverse((candidate.created_at_ms, candidate.seq)));
    let asked_for = sorted.iter().position(|row| row.trigger == SnapshotTrigger::Manual);
    let autosaves = latest_autosaves(&sorted, policy.keep_autosaves);
    let (mut last, mut daily) = (BTreeSet::new(), BTreeSet::new());
    for trigger in [SnapshotTrigger::Manual, SnapshotTrigger::Safety] {
        last.extend(latest(&sorted, trigger, policy.keep_last.unwrap_or(0)));
        daily.extend(latest_of_days(&sorted, trigger, policy.keep_daily.unwrap_or(0)));
    }
    let decide = |index: usize, candidate: &Candidate| {
        let newest = index == 0 || Some(index) == asked_for;
        if let Some(reason) = protection(newest, candidate, now_ms) {
            return Verdict::Keep(reason);
        }
        if candidate.expires_at_ms.is_some_and(|at_ms| at_ms <= now_ms) {
            return Verdict::Delete(DeleteReason::Expired);
        }
        if candidate.trigger == SnapshotTrigger::Auto {
            return if autosaves.contains(&index) {
                Verdict::Keep(KeepReason::Unexpired)
            } else {
                Verdict::Delete(DeleteReason::SupersededAutosave)
            };
        }
        match (last.contains(&index), daily.contains(&index)) {
            (true, _) => Verdict::Keep(KeepReason::KeepLast),
            (_, true) => Verdict::Keep(KeepReason::KeepDaily),
            _ if policy.has_keep_rules() => Verdict::Delete(DeleteReason::Superseded),
            _ => Verdict::Keep(KeepReason::Unexpired),
        }
    };
    let mut decisions: Vec<Decision> = sorted
        .into_iter()
        .enumerate()
        .map(|(index, candidate)| Decision { verdict: decide(index, &candidate), candidate })
        .collect();
    let exceeded = apply_limits(&mut decisions, policy);
    summed(decisions, exceeded, now_ms)
}

/// Why a snapshot may not be deleted, if so. `newest`: it is the newest, or the
/// newest that was asked for.
#[must_use]
pub fn protection(newest: bool, candidate: &Candidate, now_ms: i64) -> Option<KeepReason> {
    let rebuilt = candidate.rebuilt_until_ms.is_some_and(|at_ms| at_ms > now_ms);
    let unexpired = candidate.expires_at_ms.is_none_or(|at_ms| at_ms > now_ms);
    [
        (candidate.being_read, KeepReason::BeingRead),
        (candidate.head, KeepReason::Head),
        (candidate.pinned, KeepReason::Pinned),
        (newest, KeepReason::Newest),
        (rebuilt, KeepReason::Rebuilt),
        (candidate.retired && unexpired, KeepReason::Retired),
    ]
    .into_iter()
    .find_map(|(holds, reason)| holds.then_some(reason))
}

/// Indexes of the latest `count` of a kind.
fn latest(sorted: &[Candidate], trigger: SnapshotTrigger, count: u32) -> BTreeSet<usize> {
    let of_kind = sorted.iter().enumerate().filter(|(_, candidate)| candidate.trigger == trigger);
    of_kind.map(|(index, _)| index).take(count as usize).collect()
}

/// Indexes of the latest `count` autosaves of each workspace. One that a wake
/// needs, or that is kept for a retired workspace, takes no place.
fn latest_autosaves(sorted: &[Candidate], count: u32) -> BTreeSet<usize> {
    let mut taken: BTreeMap<&SandboxId, u32> = BTreeMap::new();
    let mut chosen = BTreeSet::new();
    for (index, candidate) in sorted.iter().enumerate() {
        if candidate.trigger != SnapshotTrigger::Auto || candidate.head || candidate.retired {
            continue;
        }
        let places = taken.entry(&candidate.origin).or_default();
        if *places < count {
            *places += 1;
            chosen.insert(index);
        }
    }
    chosen
}

/// Indexes of the latest one of a kind of each of the latest `days` days (in
/// UTC) that have one.
fn latest_of_days(sorted: &[Candidate], trigger: SnapshotTrigger, days: u32) -> BTreeSet<usize> {
    let mut chosen = BTreeSet::new();
    let mut day_before = None;
    for (index, candidate) in sorted.iter().enumerate() {
        let day = candidate.created_at_ms.div_euclid(DAY_MS);
        if candidate.trigger != trigger || day_before == Some(day) {
            continue;
        }
        if chosen.len() >= days as usize {
            break;
        }
        day_before = Some(day);
        chosen.insert(index);
    }
    chosen
}

/// Has more go until the limits hold, if enough may.
fn apply_limits(decisions: &mut [Decision], policy: &RetentionPolicy) -> Option<Exceeded> {
    let mut order: Vec<usize> = (0..decisions.len()).collect();
    // Oldest first within each kind: the decisions are newest first.
    order.sort_by_key(|index| {
        let trigger = decisions.get(*index).map(|decision| decision.candidate.trigger);
        let rank = match trigger {
            Some(SnapshotTrigger::Auto) => 0,
            Some(SnapshotTrigger::Safety) => 1,
            _ => 2,
        };
        (rank, Reverse(*index))
    });
    let max_count = policy.max_count.map_or(u64::MAX, u64::from);
    let max_bytes = policy.max_bytes.unwrap_or(u64::MAX);
    let kept = || decisions.iter().filter(|decision| decision.is_kept());
    let mut count = kept().count() as u64;
    let mut bytes = kept().fold(0_u64, |sum, kept| sum.saturating_add(kept.candidate.size_bytes));
    for index in order {
        let reason = if count > max_count {
            DeleteReason::MaxCount
        } else if bytes > max_bytes {
            DeleteReason::MaxBytes
        } else {
            return None;
        };
        if let Some(decision) = decisions.get_mut(index)
            && decision.is_kept()
            && !decision.is_protected()
            // An empty one takes no bytes.
            && (reason == DeleteReason::MaxCount || decision.candidate.size_bytes > 0)
        {
            decision.verdict = Verdict::Delete(reason);
            count -= 1;
            bytes = bytes.saturating_sub(decision.candidate.size_bytes);
        }
    }
    match (count > max_count, bytes > max_bytes) {
        (true, _) => Some(Exceeded::MaxCount),
        (_, true) => Some(Exceeded::MaxBytes),
        _ => None,
    }
}

fn summed(decisions: Vec<Decision>, exceeded: Option<Exceeded>, now_ms: i64) -> RetentionPlan {
    let (mut kept_count, mut kept_bytes, mut freed_bytes) = (0_u64, 0_u64, 0_u64);
    let mut next_due_ms: Option<i64> = None;
    for decision in &decisions {
        let size_bytes = decision.candidate.size_bytes;
        if !decision.is_kept() {
            freed_bytes = freed_bytes.saturating_add(size_bytes);
            continue;
        }
        kept_count += 1;
        kept_bytes = kept_bytes.saturating_add(size_bytes);
        // What protects the others ends with an operation, which looks again.
        let due_ms = match decision.verdict {
            Verdict::Keep(KeepReason::Rebuilt) => decision.candidate.rebuilt_until_ms,
            Verdict::Keep(KeepReason::Retired) => decision.candidate.expires_at_ms,
            _ if decision.is_protected() => None,
            _ => decision.candidate.expires_at_ms,
        };
        if let Some(at_ms) = due_ms.filter(|at_ms| *at_ms > now_ms) {
            next_due_ms = Some(next_due_ms.map_or(at_ms, |due_ms| due_ms.min(at_ms)));
        }
    }
    RetentionPlan { decisions, kept_count, kept_bytes, freed_bytes, exceeded, next_due_ms }
}
