//! Decides which snapshots a session keeps. The session executes the decision.

use crate::domain::limits::{
    KEEP_AUTOSAVES_DEFAULT, KEEP_TURNS_DEFAULT, RETENTION_COUNT_CEILING,
    RETENTION_INTERVAL_MAX_SECS, RETENTION_MAX_BYTES_CEILING, RETIRE_AFTER_DEFAULT_MS,
    RETIRE_AFTER_MAX_SECS, RETIRE_AFTER_MIN_SECS,
};
use crate::domain::snapshot::backup::Ttl;
use crate::domain::{BackupId, Error, Result, SandboxId, SnapshotTrigger};
use serde::{Deserialize, Serialize};

// The catalogue finds the snapshots that are due (`session::catalogue::retention::due`).

/// A ready snapshot as retention sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The snapshot's id.
    pub id: BackupId,
    /// The workspace that it was taken from.
    pub origin: SandboxId,
    /// Order of creation, for snapshots with the same time.
    pub seq: i64,
    /// Creation time, in milliseconds since the epoch.
    pub created_at_ms: i64,
    /// Expiry time, in milliseconds since the epoch. None if it never expires.
    pub expires_at_ms: Option<i64>,
    /// Size of the archive, in bytes.
    pub size_bytes: u64,
    /// Why it was taken. A named automatic snapshot counts as manual.
    pub trigger: SnapshotTrigger,
    /// Whether the session pinned the snapshot.
    pub pinned: bool,
    /// Whether a workspace would wake from the snapshot.
    pub head: bool,
    /// Whether a workspace is being made from the snapshot.
    pub being_read: bool,
    /// Until when a rebuild protects it, in milliseconds since the epoch: it may have been a head.
    pub rebuilt_until_ms: Option<i64>,
    /// Whether the snapshot is the last save of a retired workspace.
    pub retired: bool,
}

/// Why a snapshot is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum KeepReason {
    /// It is the session's latest snapshot, or its latest requested one.
    Newest,
    /// Its session pinned it.
    Pinned,
    /// A workspace would wake from it.
    Head,
    /// A workspace is being made from it.
    BeingRead,
    /// A rebuild put it back less than a week ago.
    Rebuilt,
    /// It is the last save of a retired workspace, and has not expired.
    Retired,
    /// It is among the latest that `keepLast` keeps.
    KeepLast,
    /// It is the latest of its day.
    KeepDaily,
    /// It has not expired, and no rule deletes it.
    Unexpired,
}

/// Why a snapshot is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum DeleteReason {
    /// It has expired.
    Expired,
    /// No keep rule covers it.
    Superseded,
    /// There are later autosaves.
    SupersededAutosave,
    /// There are more snapshots than the policy allows.
    MaxCount,
    /// The snapshots are larger than the policy allows.
    MaxBytes,
    /// An operator's prune rule covers it.
    Operator,
}

/// What becomes of one snapshot, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(tag = "verdict", content = "reason", rename_all = "camelCase")]
pub enum Verdict {
    /// It stays.
    Keep(KeepReason),
    /// It is deleted.
    Delete(DeleteReason),
}

/// A limit that can't be met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Exceeded {
    /// `maxCount`.
    MaxCount,
    /// `maxBytes`.
    MaxBytes,
}

/// Why a snapshot may not be deleted. None if it may. `newest` includes the newest requested one.
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

/// A retention policy as a session's configuration, or the Worker's variable
/// `RETENTION`, declares it. Absent fields have their defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RetentionConfig {
    /// Time to live of a snapshot whose caller sets none, in seconds. Default: turns and requested
    /// snapshots live 30 days after the session's last use, and all others 259200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<Ttl>,
    /// Keeps only this many of the latest requested snapshots, and as many safety snapshots, beside
    /// those that `keepDaily` keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = RETENTION_COUNT_CEILING)))]
    pub keep_last: Option<u32>,
    /// Keeps only the latest snapshot of each day (UTC), for this many days, beside those that
    /// `keepLast` keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = RETENTION_COUNT_CEILING)))]
    pub keep_daily: Option<u32>,
    /// How many autosaves of each workspace to keep, beside named ones and those that a wake needs.
    /// Default 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 0, max = RETENTION_COUNT_CEILING)))]
    pub keep_autosaves: Option<u32>,
    /// Number of latest turns to keep, in all workspaces together. Default 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = RETENTION_COUNT_CEILING)))]
    pub keep_turns: Option<u32>,
    /// Maximum number of snapshots. Autosaves are deleted first, then safety snapshots, then those
    /// of turns, then the oldest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = RETENTION_COUNT_CEILING)))]
    pub max_count: Option<u32>,
    /// Maximum bytes of archives. The newest snapshot alone may exceed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = RETENTION_MAX_BYTES_CEILING)))]
    pub max_bytes: Option<u64>,
    /// Seconds between two requested snapshots; sooner is `RATE_LIMITED`. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 0, max = RETENTION_INTERVAL_MAX_SECS)))]
    pub min_interval_seconds: Option<u64>,
    /// Seconds after which an unused workspace that is not active is retired: saved if it runs, and
    /// destroyed. Its last save then lives for `ttlSeconds` from that time and is listed. Default
    /// 604800, a week.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = RETIRE_AFTER_MIN_SECS, max = RETIRE_AFTER_MAX_SECS)))]
    pub retire_after_seconds: Option<u64>,
}

/// A checked policy with all defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Time to live of automatic and safety snapshots.
    pub ttl: Ttl,
    /// Time to live of other snapshots. None: 30 days after the session's last use.
    pub asked_ttl: Option<Ttl>,
    /// See [`RetentionConfig::keep_last`].
    pub keep_last: Option<u32>,
    /// See [`RetentionConfig::keep_daily`].
    pub keep_daily: Option<u32>,
    /// See [`RetentionConfig::keep_autosaves`].
    pub keep_autosaves: u32,
    /// See [`RetentionConfig::keep_turns`].
    pub keep_turns: u32,
    /// See [`RetentionConfig::max_count`].
    pub max_count: Option<u32>,
    /// See [`RetentionConfig::max_bytes`].
    pub max_bytes: Option<u64>,
    /// Shortest time between two requested snapshots.
    pub min_interval_ms: i64,
    /// How long a workspace may stay unused before it is retired.
    pub retire_after_ms: i64,
}

impl Default for RetentionPolicy {
    fn default() -> Self {
        Self {
            ttl: Ttl::default(),
            asked_ttl: None,
            keep_last: None,
            keep_daily: None,
            keep_autosaves: KEEP_AUTOSAVES_DEFAULT,
            keep_turns: KEEP_TURNS_DEFAULT,
            max_count: None,
            max_bytes: None,
            min_interval_ms: 0,
            retire_after_ms: RETIRE_AFTER_DEFAULT_MS,
        }
    }
}

impl RetentionConfig {
    /// Checks the policy and fills in `defaults`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the field under `prefix`.
    pub fn check(&self, prefix: &str, defaults: &RetentionPolicy) -> Result<RetentionPolicy> {
        let within = |field: &str, value: Option<u64>, least: u64, most: u64| match value {
            Some(value) if !(least..=most).contains(&value) => Err(Error::invalid(
                &format!("{prefix}.{field}"),
                format!("must be {least} to {most}"),
            )),
            _ => Ok(()),
        };
        let most = u64::from(RETENTION_COUNT_CEILING);
        within("keepLast", self.keep_last.map(u64::from), 1, most)?;
        within("keepDaily", self.keep_daily.map(u64::from), 1, most)?;
        within("keepAutosaves", self.keep_autosaves.map(u64::from), 0, most)?;
        within("keepTurns", self.keep_turns.map(u64::from), 1, most)?;
        within("maxCount", self.max_count.map(u64::from), 1, most)?;
        within("maxBytes", self.max_bytes, 1, RETENTION_MAX_BYTES_CEILING)?;
        let interval_secs = self.min_interval_seconds;
        within("minIntervalSeconds", interval_secs, 0, RETENTION_INTERVAL_MAX_SECS)?;
        let retire_secs = self.retire_after_seconds;
        within("retireAfterSeconds", retire_secs, RETIRE_AFTER_MIN_SECS, RETIRE_AFTER_MAX_SECS)?;
        let in_ms = |secs: u64| i64::try_from(secs).unwrap_or(i64::MAX).saturating_mul(1_000);
        Ok(RetentionPolicy {
            ttl: self.ttl_seconds.unwrap_or(defaults.ttl),
            asked_ttl: self.ttl_seconds.or(defaults.asked_ttl),
            keep_last: self.keep_last.or(defaults.keep_last),
            keep_daily: self.keep_daily.or(defaults.keep_daily),
            keep_autosaves: self.keep_autosaves.unwrap_or(defaults.keep_autosaves),
            keep_turns: self.keep_turns.unwrap_or(defaults.keep_turns),
            max_count: self.max_count.or(defaults.max_count),
            max_bytes: self.max_bytes.or(defaults.max_bytes),
            min_interval_ms: interval_secs.map_or(defaults.min_interval_ms, in_ms),
            retire_after_ms: retire_secs.map_or(defaults.retire_after_ms, in_ms),
        })
    }
}

impl RetentionPolicy {
    /// Time to live of a turn or requested snapshot, and whether the session's use renews it.
    #[must_use]
    pub fn lifetime(&self, asked: Option<Ttl>) -> (Ttl, bool) {
        match asked.or(self.asked_ttl) {
            Some(ttl) => (ttl, false),
            None => (Ttl::after_use(), true),
        }
    }

    /// Whether requested and safety snapshots that no keep rule matches are deleted.
    #[must_use]
    pub const fn has_keep_rules(&self) -> bool {
        self.keep_last.is_some() || self.keep_daily.is_some()
    }

    /// Milliseconds to wait before another requested snapshot, given the last one's time.
    #[must_use]
    pub fn wait_ms(&self, last_ms: Option<i64>, now_ms: i64) -> Option<i64> {
        let due_ms = last_ms?.saturating_add(self.min_interval_ms);
        // Even if the clock jumped, the wait is never longer than the interval.
        let wait_ms = due_ms.saturating_sub(now_ms).min(self.min_interval_ms);
        (wait_ms > 0).then_some(wait_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(config: serde_json::Value) -> Result<RetentionPolicy> {
        let config: RetentionConfig = serde_json::from_value(config).unwrap();
        config.check(
            "retention",
            &RetentionPolicy { max_count: Some(7), ..RetentionPolicy::default() },
        )
    }

    #[test]
    fn what_is_not_said_is_left_to_the_default() {
        let policy =
            check(json!({ "ttlSeconds": 61, "keepLast": 3, "minIntervalSeconds": 2 })).unwrap();
        assert_eq!(
            (policy.ttl.as_secs(), policy.keep_last, policy.min_interval_ms),
            (61, Some(3), 2_000)
        );
        assert_eq!((policy.max_count, policy.keep_autosaves), (Some(7), KEEP_AUTOSAVES_DEFAULT));
        assert_eq!(check(json!({ "maxCount": 9 })).unwrap().max_count, Some(9));
    }

    #[test]
    fn limits_that_mean_nothing_are_refused() {
        for (field, value) in [
            ("keepLast", json!(0)),
            ("keepDaily", json!(10_001)),
            ("keepTurns", json!(0)),
            ("maxCount", json!(0)),
            ("maxBytes", json!(0)),
            ("maxBytes", json!(1_u64 << 53)),
            ("minIntervalSeconds", json!(86_401)),
            ("retireAfterSeconds", json!(59)),
        ] {
            let error = check(json!({ field: value })).unwrap_err();
            assert!(error.message.contains(&format!("retention.{field}")), "{error}");
        }
    }

    #[test]
    fn the_interval_is_waited_for_and_no_longer() {
        let policy = RetentionPolicy { min_interval_ms: 1_000, ..RetentionPolicy::default() };
        assert_eq!(policy.wait_ms(None, 5), None);
        assert_eq!(policy.wait_ms(Some(5_000), 5_400), Some(600));
        assert_eq!(policy.wait_ms(Some(5_000), 6_000), None);
        assert_eq!(policy.wait_ms(Some(9_000), 5_000), Some(1_000), "the clock went back");
        let free = RetentionPolicy::default();
        assert_eq!(
            free.wait_ms(Some(9_000), 5_000),
            None,
            "and without an interval there is no wait"
        );
    }
}
