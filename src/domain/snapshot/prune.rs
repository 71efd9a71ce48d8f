//! An operator's rules for deleting backups across sessions.

use crate::domain::{BackupId, ErrorBody, SessionId, SnapshotTrigger};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Which backups to delete. All its conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PruneRule {
    /// Only backups made at least this many seconds ago. 0: of any age.
    pub older_than_seconds: u64,
    /// How many of the latest snapshots of each trigger to keep in each session.
    #[serde(default = "keep_last_default")]
    pub keep_last: u32,
    /// Only backups of this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Only snapshots that were taken for this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<SnapshotTrigger>,
    /// Also backups of these kinds, which no session's catalogue has. Only their
    /// age protects them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    // A kind that is listed twice counts once.
    #[cfg_attr(schemas, schemars(with = "Vec<Ownerless>"))]
    pub ownerless: BTreeSet<Ownerless>,
}

const fn keep_last_default() -> u32 {
    1
}

/// Why no catalogue has a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Ownerless {
    /// `@cloudflare/sandbox` made it: its record names no session.
    Legacy,
    /// An archive without a record: its upload was never completed. It counts only a day after the
    /// upload: before that, its session may still recover it.
    Incomplete,
    /// Its session does not know it, or lists it as deleted or failed. The session lost its
    /// storage, belongs to another deployment on the same bucket, or somebody put the backup there.
    Lost,
}

/// Why a prune keeps a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum KeptBecause {
    /// It is not old enough.
    TooYoung,
    /// The rule names another session or trigger.
    NotAskedFor,
    /// It is one of the latest of its session.
    Latest,
    /// Its session pinned it.
    Pinned,
    /// A workspace would wake from it.
    Head,
    /// A restore, a branch or a wake reads it.
    BeingRead,
    /// It is being taken or deleted.
    Unfinished,
    /// It has been deleted, and layers need its archive.
    Base,
    /// Its session has it in the bucket of another binding.
    OtherBinding,
    /// No catalogue has it, and the rule does not name its kind.
    Ownerless,
}

/// A session's snapshot as rules see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PruneCandidate {
    /// Creation time, in milliseconds since the epoch.
    pub created_at_ms: i64,
    /// Why the snapshot was taken.
    pub trigger: SnapshotTrigger,
    /// Number of later ready snapshots with this trigger.
    pub later_count: u64,
    /// Whether the session pinned the snapshot.
    pub pinned: bool,
    /// Whether a workspace would wake from the snapshot.
    pub head: bool,
    /// Whether a restore, a branch or a wake is reading the snapshot.
    pub being_read: bool,
}

impl PruneRule {
    /// Whether a backup of this time is old enough.
    #[must_use]
    pub fn is_old_enough(&self, created_at_ms: i64, now_ms: i64) -> bool {
        let age_ms =
            i64::try_from(self.older_than_seconds).unwrap_or(i64::MAX).saturating_mul(1_000);
        created_at_ms <= now_ms.saturating_sub(age_ms)
    }

    /// Why the rule keeps a ready snapshot. None if it deletes it.
    #[must_use]
    pub fn keeps(&self, candidate: &PruneCandidate, now_ms: i64) -> Option<KeptBecause> {
        let other_trigger = self.trigger.is_some_and(|trigger| trigger != candidate.trigger);
        [
            (other_trigger, KeptBecause::NotAskedFor),
            (!self.is_old_enough(candidate.created_at_ms, now_ms), KeptBecause::TooYoung),
            (candidate.being_read, KeptBecause::BeingRead),
            (candidate.head, KeptBecause::Head),
            (candidate.pinned, KeptBecause::Pinned),
            (candidate.later_count < u64::from(self.keep_last), KeptBecause::Latest),
        ]
        .into_iter()
        .find_map(|(holds, because)| holds.then_some(because))
    }
}

/// Asks a session's object to apply a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PruneOwn {
    /// The R2 binding of the backups' bucket.
    pub binding: String,
    /// The backups' ids.
    pub ids: Vec<BackupId>,
    /// The rule to apply.
    pub rule: PruneRule,
    /// Whether to report only.
    pub dry_run: bool,
}

/// A session's verdict on one of its backups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnVerdict {
    /// The backup's id.
    pub id: BackupId,
    /// The outcome for the backup.
    pub outcome: OwnOutcome,
}

/// What happens to a backup.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum OwnOutcome {
    /// It was deleted, or would be.
    Deleted {
        /// Bytes that this frees.
        size_bytes: u64,
    },
    /// It is kept.
    Kept(KeptBecause),
    /// It could not be deleted now. If its row is `deleting`, the session's alarm continues.
    Failed(ErrorBody),
    /// The catalogue has no such snapshot.
    Unknown,
}

/// A page of a prune.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PrunePage {
    /// Whether this only says what would be deleted.
    pub dry_run: bool,
    /// Backups examined.
    pub examined_count: u64,
    /// Deleted backups.
    pub deleted: Vec<PrunedBackup>,
    /// Bytes of the deleted archives.
    pub freed_bytes: u64,
    /// How many stay, by reason.
    pub kept: BTreeMap<KeptBecause, u64>,
    /// Backups that could not be judged or deleted. The next walk tries again.
    pub problems: Vec<PruneProblem>,
    /// Where the next page begins. Absent once every bucket has been walked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A backup that was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PrunedBackup {
    /// Its id.
    pub id: BackupId,
    /// The R2 binding that it was found by.
    pub binding: String,
    /// The session that its record names, if any.
    pub session: Option<SessionId>,
    /// Why no catalogue had it; null if one did.
    pub ownerless: Option<Ownerless>,
    /// Size of its archive.
    pub size_bytes: u64,
}

/// A backup that could not be judged or deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct PruneProblem {
    /// Its id.
    pub id: BackupId,
    /// The session that its record names, if any.
    pub session: Option<SessionId>,
    /// Why.
    pub error: ErrorBody,
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: i64 = 1_800_000_000_000;

    fn rule(text: &str) -> PruneRule {
        serde_json::from_str(text).unwrap()
    }

    fn candidate() -> PruneCandidate {
        PruneCandidate {
            created_at_ms: NOW_MS - 60_000,
            trigger: SnapshotTrigger::Manual,
            later_count: 1,
            pinned: false,
            head: false,
            being_read: false,
        }
    }

    #[test]
    fn what_is_old_and_not_needed_goes_and_the_latest_stays() {
        let a_minute = rule(r#"{"olderThanSeconds":60}"#);
        assert_eq!(a_minute.keeps(&candidate(), NOW_MS), None);
        assert_eq!(a_minute.keeps(&candidate(), NOW_MS - 1), Some(KeptBecause::TooYoung));
        let latest = PruneCandidate { later_count: 0, ..candidate() };
        assert_eq!(a_minute.keeps(&latest, NOW_MS), Some(KeptBecause::Latest));
        let all = rule(r#"{"olderThanSeconds":0,"keepLast":0}"#);
        assert_eq!(all.keeps(&latest, NOW_MS - 60_000), None);
        let future = PruneCandidate { created_at_ms: NOW_MS + 1, ..candidate() };
        assert_eq!(all.keeps(&future, NOW_MS), Some(KeptBecause::TooYoung));
        let never = rule(r#"{"olderThanSeconds":18446744073709551615,"keepLast":0}"#);
        assert_eq!(never.keeps(&candidate(), NOW_MS), Some(KeptBecause::TooYoung));
    }

    #[test]
    fn no_rule_takes_what_is_pinned_needed_or_read() {
        let all = rule(r#"{"olderThanSeconds":0,"keepLast":0}"#);
        for (protected, because) in [
            (PruneCandidate { pinned: true, ..candidate() }, KeptBecause::Pinned),
            (PruneCandidate { head: true, ..candidate() }, KeptBecause::Head),
            (PruneCandidate { being_read: true, ..candidate() }, KeptBecause::BeingRead),
        ] {
            assert_eq!(all.keeps(&protected, NOW_MS), Some(because));
        }
        let autos = rule(r#"{"olderThanSeconds":0,"keepLast":0,"trigger":"auto"}"#);
        assert_eq!(autos.keeps(&candidate(), NOW_MS), Some(KeptBecause::NotAskedFor));
    }
}
