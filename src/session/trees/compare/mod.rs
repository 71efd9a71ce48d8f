//! Compare workspaces of a session with the snapshot that they have in common.

pub(crate) mod command;

use crate::domain::limits::{
    COMPARE_AT_ONCE, COMPARE_DEFAULT_CHANGES, COMPARE_MAX_WORKSPACES, COMPARE_MIN_WORKSPACES,
    COMPARE_PATHS_MAX_BYTES, DIFF_MAX_CHANGES,
};
use crate::domain::page::checked_limit;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::tree::changes::{ChangeCounts, ChangeKind};
use crate::domain::{
    Error, ErrorBody, Next, Result, SandboxId, SnapshotSelector, WorkspaceRef, WorkspaceState,
};
use crate::ports::sandbox::{CommandLine, FoundPath};
use crate::session::parts::shown::ignored;
use crate::session::parts::{IgnoredChanges, LoadedSession};
use crate::session::trees::Trees;
use crate::session::trees::compare::command::{CommandOutcome, run_in_each};
use crate::session::trees::contents::changed;
use crate::session::trees::diff::Asked;
use crate::session::trees::tree::{ComparedTree, NamedTree, Tree};
use crate::session::{Abort, Session};
use futures::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Which workspaces to compare.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CompareRequest {
    /// Workspaces, 2 to 20, by id. Default: all of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<Vec<schemas::WorkspaceSelector>>"))]
    pub workspaces: Option<Vec<WorkspaceRef>>,
    /// Snapshot to compare with. Default: the nearest common snapshot of all workspaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<SnapshotSelector>,
    /// Command to run afterwards in all workspaces at once, e.g. the tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandLine>,
    /// Time limit of command in milliseconds. Default 120000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::EXEC_TIMEOUT_MAX_MS)))]
    pub timeout_ms: Option<u64>,
    /// Only paths that match, e.g. *.py.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATTERN_MAX_BYTES)))]
    pub glob: Option<String>,
    /// Maximum changes per workspace. Default 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::DIFF_MAX_CHANGES)))]
    pub limit: Option<usize>,
}

/// Workspaces, compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// The base of the comparison. Without snapshotId: no files.
    pub base: ComparedTree,
    /// One result per workspace.
    pub workspaces: Vec<ComparedWorkspace>,
    /// Files that several workspaces changed; at most `limit`.
    pub contested: Vec<ContestedFile>,
    /// Number of further such files. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_contested: Option<u64>,
    /// The results as a table.
    pub text: String,
}

/// What a workspace changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ComparedWorkspace {
    /// The workspace, as it is now or by its last save.
    #[serde(flatten)]
    pub tree: ComparedTree,
    /// Tools act on it.
    pub active: bool,
    /// Number of changes, without ignored files.
    pub counts: ChangeCounts,
    /// The changes, by path.
    pub changes: Vec<PathChange>,
    /// There are more.
    pub truncated: bool,
    /// Number of files beyond the limit of a call, not compared. They are not listed, and may have
    /// changed.
    #[serde(default, skip_serializing_if = "crate::domain::is_zero")]
    pub not_compared: u64,
    /// Counts of changes in .git and in ignored files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<IgnoredChanges>,
    /// Why it could not be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorBody>,
    /// How the command ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandOutcome>,
}

/// A changed path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct PathChange {
    /// From the root.
    #[serde(flatten)]
    pub path: FoundPath,
    /// What happened.
    pub change: ChangeKind,
}

/// A file that several workspaces changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContestedFile {
    /// From the root.
    #[serde(flatten)]
    pub path: FoundPath,
    /// The workspaces that changed it.
    #[serde(rename = "workspaceIds")]
    pub sandbox_ids: Vec<SandboxId>,
}

impl Session {
    /// Compares workspaces with the snapshot that they have in common. Starts no container, unless
    /// there is a command. A workspace that can't be read has its own error in the answer.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for too few or too many; `WORKSPACE_NOT_OWNED`; `CONFLICT` if not ready.
    pub async fn compare(&self, request: CompareRequest, abort: &Abort) -> Result<Comparison> {
        let mut comparison = Trees::from(self).compare(&request).await?;
        if let Some(command) = &request.command {
            abort.step("running the command in each workspace")?;
            run_in_each(self, &mut comparison, command, request.timeout_ms).await?;
        }
        comparison.text = as_text(&comparison);
        Ok(comparison)
    }
}

impl Trees<'_> {
    async fn compare(&self, request: &CompareRequest) -> Result<Comparison> {
        let max = checked_limit(request.limit, COMPARE_DEFAULT_CHANGES, DIFF_MAX_CHANGES)?;
        let asked = Asked::of_glob(request.glob.as_deref())?;
        let loaded = self.context.load()?;
        loaded.require_snapshots()?;
        let ids = self.compared_ids(request.workspaces.as_deref())?;
        let room = self.archives.room().await?;
        let base = match &request.base {
            Some(named) => {
                let named = NamedTree::Snapshot(named.clone());
                self.open(&room, &loaded, "compare", &named, false).await?
            }
            None => {
                let lines: Vec<_> = ids
                    .iter()
                    .map(|id| self.ancestors_of_workspace(&loaded, id))
                    .collect::<Result<_>>()?;
                self.open_common_ancestor(&room, &loaded, &lines).await?
            }
        };
        // More at once would hold too many lists in memory.
        let compared = stream::iter(ids.iter().map(async |id| {
            let opened = self.open_workspace(&room, &loaded, id).await;
            if let Ok(tree) = &opened {
                self.relate(&room, &loaded, tree, &base).await?;
            }
            Ok::<_, Error>(compare_one(&base, opened, id, &loaded, &asked).await)
        }));
        let found: Vec<(ComparedWorkspace, Vec<PathChange>)> =
            compared.buffered(COMPARE_AT_ONCE).try_collect().await?;
        let mut changed_by: BTreeMap<String, ContestedFile> = BTreeMap::new();
        let mut workspaces = Vec::new();
        for ((mut workspace, mut changes), id) in found.into_iter().zip(ids) {
            for PathChange { path, .. } in &changes {
                let contested = changed_by.entry(path.path.clone()).or_insert_with(|| {
                    ContestedFile { path: path.clone(), sandbox_ids: Vec::new() }
                });
                contested.sandbox_ids.push(id.clone());
            }
            workspace.truncated = workspace.counts.total() > max as u64;
            changes.truncate(max);
            workspace.changes = changes;
            workspaces.push(workspace);
        }
        changed_by.retain(|_, file| file.sandbox_ids.len() > 1);
        let more = changed_by.len().saturating_sub(max);
        let more_contested = u64::try_from(more).ok().filter(|more| *more > 0);
        let contested = changed_by.into_values().take(max).collect();
        let text = String::new();
        Ok(Comparison { base: base.view(), workspaces, contested, more_contested, text })
    }

    fn compared_ids(&self, named: Option<&[WorkspaceRef]>) -> Result<Vec<SandboxId>> {
        let mut ids: Vec<SandboxId> = Vec::new();
        match named {
            Some(named) => {
                for id in named.iter().map(WorkspaceRef::sandbox_id) {
                    self.context.own_workspace(id)?;
                    self.context.usable(id)?;
                    if !ids.contains(id) {
                        ids.push(id.clone());
                    }
                }
            }
            None => {
                let all = self.context.catalogue.live_workspaces()?.into_iter();
                let ready = all.filter(|row| row.state == WorkspaceState::Ready);
                ids.extend(ready.map(|row| row.sandbox_id));
            }
        }
        if !(COMPARE_MIN_WORKSPACES..=COMPARE_MAX_WORKSPACES).contains(&ids.len()) {
            return Err(Error::invalid(
                "workspaces",
                format!(
                    "must be {COMPARE_MIN_WORKSPACES} to {COMPARE_MAX_WORKSPACES}, not {}",
                    ids.len()
                ),
            )
            .with_hint(Next::ForkSome));
        }
        Ok(ids)
    }
}

/// Also returns the changes without the limit, as far as those of all workspaces fit into memory.
async fn compare_one(
    base: &Tree,
    opened: Result<Tree>,
    id: &SandboxId,
    loaded: &LoadedSession,
    asked: &Asked,
) -> (ComparedWorkspace, Vec<PathChange>) {
    let tree = ComparedTree { sandbox_id: Some(id.clone()), ..ComparedTree::default() };
    let mut workspace = ComparedWorkspace {
        tree,
        active: id == &loaded.row.active_sandbox_id,
        counts: ChangeCounts::default(),
        changes: Vec::new(),
        truncated: false,
        not_compared: 0,
        ignored: Vec::new(),
        error: None,
        command: None,
    };
    let found = async {
        let tree = opened?;
        let found = changed(base, &tree, base, &asked.comparing).await?;
        Ok((tree.view(), found))
    };
    let found: Result<_> = found.await;
    match found {
        Ok((tree, found)) => {
            workspace.tree = tree;
            workspace.not_compared = found.unread;
            workspace.ignored = ignored(found.set_aside, COMPARE_DEFAULT_CHANGES);
            let (mut changes, mut bytes) = (Vec::new(), 0);
            for change in found.list {
                workspace.counts.count(change.kind);
                bytes += change.path.len();
                if bytes <= COMPARE_PATHS_MAX_BYTES {
                    let path = FoundPath::of(&change.path);
                    changes.push(PathChange { path, change: change.kind });
                }
            }
            (workspace, changes)
        }
        Err(error) => {
            workspace.error = Some(error.to_wire().error);
            (workspace, Vec::new())
        }
    }
}

fn as_text(comparison: &Comparison) -> String {
    let mut rows = vec![
        ["workspace", "added", "removed", "modified", "renamed", "command"].map(str::to_owned),
    ];
    for workspace in &comparison.workspaces {
        let id = workspace.tree.sandbox_id.as_ref().map(ToString::to_string).unwrap_or_default();
        let mark = if workspace.active { " (active)" } else { "" };
        let ChangeCounts { added, removed, modified, renamed, access } = workspace.counts;
        let counts = [added, removed, modified + access, renamed].map(|count| count.to_string());
        let [added, removed, modified, renamed] = match &workspace.error {
            Some(error) => {
                [error.code.as_str().to_owned(), String::new(), String::new(), String::new()]
            }
            None => counts,
        };
        let command = match &workspace.command {
            None => String::new(),
            Some(CommandOutcome::Failed { error }) => error.code.as_str().to_owned(),
            Some(CommandOutcome::Ran { timed_out: true, .. }) => "timed out".to_owned(),
            Some(CommandOutcome::Ran { exit_code, duration_ms, .. }) => {
                format!(
                    "exit {exit_code} in {}.{} s",
                    duration_ms / 1_000,
                    duration_ms % 1_000 / 100
                )
            }
        };
        rows.push([format!("{id}{mark}"), added, removed, modified, renamed, command]);
    }
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(String::len).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..6).map(width).collect();
    let mut text = match &comparison.base.snapshot_id {
        Some(id) => format!("changes since snapshot {id}\n"),
        None => "changes since the beginning, without files\n".to_owned(),
    };
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        // A write to a string always succeeds.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for file in &comparison.contested {
        let ids: Vec<&str> = file.sandbox_ids.iter().map(SandboxId::as_str).collect();
        let _ = writeln!(text, "changed by several: {:?} ({})", file.path.path, ids.join(", "));
    }
    if let Some(more) = comparison.more_contested {
        let _ = writeln!(text, "and {more} more");
    }
    text
}
