//! Git checkpoints of a workspace: commits in the git repository of a directory.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::snapshot::annotations::check_description;
use crate::domain::{GitCheckpointName, Result, WorkspaceRef};
use crate::ports::sandbox::{
    ChangedPath, FoundPath, GitCheckpointDiff, GitCheckpointList, NewGitCheckpoint,
    RestoredGitCheckpoint, TakenGitCheckpoint,
};
use crate::session::Session;
use crate::session::files::{Files, Place, root_path};
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};

/// One git checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GitCheckpointTarget {
    /// Its name.
    pub name: GitCheckpointName,
    /// Default: the root.
    #[serde(default = "root_path")]
    pub path: String,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

fn named_from_root(place: &Place, found: Vec<FoundPath>) -> Vec<FoundPath> {
    found.into_iter().map(|path| place.named_from_root(path)).collect()
}

/// What to take.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TakeGitCheckpointRequest {
    /// Name, e.g. before-refactor.
    pub name: GitCheckpointName,
    /// Description.
    #[serde(default)]
    #[cfg_attr(schemas, schemars(length(max = crate::domain::limits::SNAPSHOT_DESCRIPTION_MAX_CHARS), regex(pattern = crate::domain::patterns::TEXT_PATTERN)))]
    pub description: Option<String>,
    /// Replace a git checkpoint of this name; otherwise the call fails with CONFLICT.
    #[serde(default)]
    pub replace: bool,
    /// Default: the root.
    #[serde(default = "root_path")]
    pub path: String,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Takes a git checkpoint of a directory, in its git repository. Makes one if there is none.
    ///
    /// # Errors
    /// `CONFLICT` for a taken name; `UNSUPPORTED`; `INVALID_ARGUMENT`; `NOT_FOUND`.
    pub async fn take_git_checkpoint(
        &self,
        request: TakeGitCheckpointRequest,
    ) -> Result<Placed<TakenGitCheckpoint>> {
        let files = Files::from(self);
        let TakeGitCheckpointRequest { name, description, replace, path, workspace } = request;
        let description = description.unwrap_or_default();
        check_description(&description)?;
        let place = files.writable_place(workspace.as_ref(), &path).await?;
        let checkpoint = NewGitCheckpoint { name, description, replace };
        let sandbox = place.sandbox();
        let taken =
            sandbox.take_git_checkpoint(checkpoint, place.path.clone(), place.options()).await?;
        let nested = named_from_root(&place, taken.nested);
        Ok(place.answers(TakenGitCheckpoint { nested, ..taken }))
    }
}

/// Which to list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListGitCheckpointsRequest {
    /// Default: the root.
    #[serde(default = "root_path")]
    pub path: String,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Lists the git checkpoints of a directory of a workspace, newest first.
    ///
    /// # Errors
    /// `NOT_FOUND`; `UNSUPPORTED`; `INVALID_ARGUMENT`.
    pub async fn list_git_checkpoints(
        &self,
        request: ListGitCheckpointsRequest,
    ) -> Result<Placed<GitCheckpointList>> {
        let files = Files::from(self);
        let place = files.readable_place(request.workspace.as_ref(), &request.path).await?;
        let listed =
            place.sandbox().list_git_checkpoints(place.path.clone(), place.options()).await?;
        Ok(place.answers(listed))
    }
}

impl Session {
    /// Compares files with a git checkpoint. Paths in the diff begin at its directory.
    ///
    /// # Errors
    /// `NOT_FOUND`; `UNSUPPORTED`; `INVALID_ARGUMENT`.
    pub async fn diff_git_checkpoint(
        &self,
        target: GitCheckpointTarget,
    ) -> Result<Placed<GitCheckpointDiff>> {
        let files = Files::from(self);
        let place = files.readable_place(target.workspace.as_ref(), &target.path).await?;
        let sandbox = place.sandbox();
        let diff =
            sandbox.diff_git_checkpoint(target.name, place.path.clone(), place.options()).await?;
        let nested = named_from_root(&place, diff.nested);
        Ok(place.answers(GitCheckpointDiff { nested, ..diff }))
    }
}

impl Session {
    /// Restores files of a git checkpoint in place. Removes files added since, except ignored ones.
    ///
    /// # Errors
    /// `CONFLICT` if an ignored file is in the way; `NOT_FOUND`; `UNSUPPORTED`; `INVALID_ARGUMENT`.
    pub async fn restore_git_checkpoint(
        &self,
        target: GitCheckpointTarget,
    ) -> Result<Placed<RestoredGitCheckpoint>> {
        let files = Files::from(self);
        let place = files.writable_place(target.workspace.as_ref(), &target.path).await?;
        let sandbox = place.sandbox();
        let restored = sandbox
            .restore_git_checkpoint(target.name, place.path.clone(), place.options())
            .await?;
        let named = |changed: ChangedPath| ChangedPath {
            path: place.named_from_root(changed.path),
            ..changed
        };
        Ok(place.answers(RestoredGitCheckpoint {
            changes: restored.changes.into_iter().map(named).collect(),
            nested: named_from_root(&place, restored.nested),
            ..restored
        }))
    }
}

/// The answer to the deletion of a git checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeletedGitCheckpoint {
    /// Always true, even if there was none.
    pub deleted: bool,
    /// Bytes that only this git checkpoint had. They stay in the repository, and in snapshots,
    /// until git removes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_bytes: Option<u64>,
    /// How to remove these bytes, if more than 1 MB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Fewer bytes than this need no hint.
const HELD_NOTICED_BYTES: u64 = 1_000_000;

impl Session {
    /// Deletes a git checkpoint. Its files stay. Repeating it changes nothing.
    ///
    /// # Errors
    /// `UNSUPPORTED`; `INVALID_ARGUMENT`.
    pub async fn delete_git_checkpoint(
        &self,
        target: GitCheckpointTarget,
    ) -> Result<Placed<DeletedGitCheckpoint>> {
        let files = Files::from(self);
        let place = files.writable_place(target.workspace.as_ref(), &target.path).await?;
        let sandbox = place.sandbox();
        let held_bytes =
            sandbox.delete_git_checkpoint(target.name, place.path.clone(), place.options()).await?;
        let hint = held_bytes.filter(|bytes| *bytes > HELD_NOTICED_BYTES).map(|bytes| {
            format!(
                "the repository, and each snapshot of it, still has the git checkpoint's {bytes} bytes; git gc --prune=now in {} removes them, with all else that no branch, tag, stash or reflog names",
                place.path
            )
        });
        Ok(place.answers(DeletedGitCheckpoint { deleted: true, held_bytes, hint }))
    }
}
