//! The answer to a promotion.

use crate::domain::limits::DIFF_DEFAULT_CHANGES;
use crate::domain::snapshot::flat_ids;
use crate::domain::tree::changes::{ChangeCounts, ChangeKind};
use crate::domain::{BackupId, SnapshotRef, Woken, WorkspaceRef};
use crate::ports::sandbox::{EndedProcess, FoundPath};
use crate::session::catalogue::ChangedPath;
use crate::session::parts::shown::ignored;
use crate::session::parts::{IgnoredChanges, PlannedChanges};
use crate::session::trees::diff::TreeDiff;
use crate::session::trees::merge::{MergeConflict, Plan};
use serde::{Deserialize, Serialize};

/// Changes that were brought over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Promoted {
    /// The active workspace, the same as before.
    #[serde(flatten, with = "flat_ids::workspace_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::WorkspaceWithId"))]
    pub r#ref: WorkspaceRef,
    /// The snapshot whose changes these are. For a workspace, the one that saved it. Absent in a
    /// dry run for a workspace that runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_snapshot_id: Option<BackupId>,
    /// The snapshot that both came from. Absent: none is common to both, or all files
    /// were replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_snapshot_id: Option<BackupId>,
    /// Whether any file was changed.
    pub changed: bool,
    /// Counts of changes by a merge. Line-merged files count as modified.
    pub counts: ChangeCounts,
    /// Files whose lines were merged.
    pub merged_files: u64,
    /// Conflicts that onConflict decided.
    pub decided_conflicts: Vec<MergeConflict>,
    /// Undecided conflicts. Only in a dry run: a promotion would be refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<MergeConflict>,
    /// Paths not changed here. Git repositories that both changed, and ignored files in conflict.
    pub kept: Vec<String>,
    /// Changes not brought over: in files that a .gitignore of the other side ignores, or in a
    /// cache such as __pycache__. includeIgnored brings them over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<IgnoredChanges>,
    /// Number of files beyond the limit of a call, not compared. If the other side changed them,
    /// those changes were not brought over.
    #[serde(default, skip_serializing_if = "crate::domain::is_zero")]
    pub not_compared: u64,
    /// The safety snapshot: the files before the promotion. Absent if nothing was changed.
    #[serde(flatten, with = "flat_ids::safety_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::SafetyWithId"))]
    pub safety_ref: Option<SnapshotRef>,
    /// A dry run: nothing was changed. The other fields say what a promotion would do now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// What would change in the files. Only in a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<PlannedChanges>,
    /// Workspaces that were destroyed.
    pub discarded: Vec<WorkspaceRef>,
    /// Processes that were ended. Only if all files were replaced.
    pub ended_processes: Vec<EndedProcess>,
    /// The snapshots it woke from, if it was asleep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken: Option<Woken>,
}

impl Promoted {
    pub(crate) fn unchanged(r#ref: WorkspaceRef, from_snapshot_id: Option<BackupId>) -> Self {
        Self {
            r#ref,
            from_snapshot_id,
            base_snapshot_id: None,
            changed: false,
            counts: ChangeCounts::default(),
            merged_files: 0,
            decided_conflicts: Vec::new(),
            conflicts: Vec::new(),
            kept: Vec::new(),
            left_out: Vec::new(),
            not_compared: 0,
            safety_ref: None,
            dry_run: false,
            changes: None,
            discarded: Vec::new(),
            ended_processes: Vec::new(),
            woken: None,
        }
    }

    pub(crate) fn describe(&mut self, plan: &Plan) {
        let merge = &plan.merge;
        self.counts = PlannedChanges::of(plan).counts;
        self.merged_files = merge.texts.len() as u64;
        self.not_compared = plan.not_compared;
        self.left_out = ignored(plan.left_out.clone(), DIFF_DEFAULT_CHANGES);
        self.decided_conflicts = plan.decided.clone();
        self.kept =
            merge.kept.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect();
    }
}

impl From<TreeDiff> for PlannedChanges {
    fn from(diff: TreeDiff) -> Self {
        let paths = diff.changes.into_iter();
        let paths = paths.map(|shown| ChangedPath { path: shown.path, change: shown.change });
        Self { counts: diff.counts, paths: paths.collect(), ignored: diff.ignored }
    }
}

impl PlannedChanges {
    pub(crate) fn of(plan: &Plan) -> Self {
        let merge = &plan.merge;
        let taken = merge.take.keys().map(|path| {
            let is_there = plan.expected.get(path).is_none_or(Option::is_some);
            (path, if is_there { ChangeKind::Modified } else { ChangeKind::Added })
        });
        let removed = merge.remove.iter().filter(|path| !merge.take.contains_key(*path));
        let removed = removed.map(|path| (path, ChangeKind::Removed));
        let merged = merge.texts.keys().map(|path| (path, ChangeKind::Modified));
        let access = merge.access.keys().map(|path| (path, ChangeKind::Mode));
        let mut all: Vec<(&Vec<u8>, ChangeKind)> =
            taken.chain(removed).chain(merged).chain(access).collect();
        all.sort_by_key(|(path, _)| *path);
        let mut counts = ChangeCounts::default();
        for (_, kind) in &all {
            counts.count(*kind);
        }
        let paths = all.into_iter().take(DIFF_DEFAULT_CHANGES);
        let paths =
            paths.map(|(path, change)| ChangedPath { path: FoundPath::of(path), change }).collect();
        Self { counts, paths, ignored: Vec::new() }
    }
}
