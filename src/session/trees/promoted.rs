//! The answer to a promotion.

use crate::domain::ids::BackupId;
use crate::domain::snapshot::refs::{SnapshotRef, WorkspaceRef};
use crate::domain::tree::changes::ChangeCounts;
use crate::domain::workspace::woken::Woken;
use crate::ports::sandbox::EndedProcess;
use crate::session::trees::merge::{MergeConflict, Plan};
use serde::{Deserialize, Serialize};

/// Changes that were brought over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Promoted {
    /// The active workspace, the same as before.
    pub r#ref: WorkspaceRef,
    /// The snapshot whose changes these are. Of a workspace, its save.
    pub from_snapshot_id: BackupId,
    /// The snapshot that both came from. Absent: none is common to both, or all files
    /// were replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_snapshot_id: Option<BackupId>,
    /// Whether any file was changed.
    pub changed: bool,
    /// What a merge changed. Files whose lines were merged count as modified.
    pub counts: ChangeCounts,
    /// Files whose lines were merged.
    pub merged_files: u64,
    /// Conflicts that onConflict decided.
    pub decided_conflicts: Vec<MergeConflict>,
    /// What stays as it was here. Git repositories that both changed, and ignored files in
    /// conflict.
    pub kept: Vec<String>,
    /// Files too much to compare. If the other side changed
    /// them, that was not brought over.
    #[serde(default, skip_serializing_if = "crate::domain::is_zero")]
    pub not_compared: u64,
    /// The safety snapshot of the files before. Absent if nothing was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety_ref: Option<SnapshotRef>,
    /// Workspaces that were destroyed.
    pub discarded: Vec<WorkspaceRef>,
    /// Processes that were ended. Only if all files were replaced.
    pub ended_processes: Vec<EndedProcess>,
    /// What it woke with, if it had to wake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken: Option<Woken>,
}

impl Promoted {
    pub(crate) fn unchanged(r#ref: WorkspaceRef, from_snapshot_id: BackupId) -> Self {
        Self {
            r#ref,
            from_snapshot_id,
            base_snapshot_id: None,
            changed: false,
            counts: ChangeCounts::default(),
            merged_files: 0,
            decided_conflicts: Vec::new(),
            kept: Vec::new(),
            not_compared: 0,
            safety_ref: None,
            discarded: Vec::new(),
            ended_processes: Vec::new(),
            woken: None,
        }
    }

    pub(crate) fn describe(&mut self, plan: &Plan) {
        let merge = &plan.merge;
        for path in merge.take.keys() {
            let is_there = plan.expected.get(path).is_none_or(Option::is_some);
            *(if is_there { &mut self.counts.modified } else { &mut self.counts.added }) += 1;
        }
        let removed = merge.remove.iter().filter(|path| !merge.take.contains_key(*path));
        self.counts.removed = removed.count() as u64;
        self.merged_files = merge.texts.len() as u64;
        self.counts.modified += self.merged_files;
        self.counts.access = merge.access.len() as u64;
        self.not_compared = plan.not_compared;
        self.decided_conflicts = plan.decided.clone();
        self.kept =
            merge.kept.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect();
    }
}
