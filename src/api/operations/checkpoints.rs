//! Git checkpoints. They exist only as tools.

use crate::api::operation::{Module, Tool, ToolCall, ToolEntry, ToolKind};
use crate::domain::{Result, Scope};
use crate::ports::sandbox::{
    GitCheckpointDiff, GitCheckpointList, RestoredGitCheckpoint, TakenGitCheckpoint,
};
use crate::session::{
    DeletedGitCheckpoint, GitCheckpointTarget, ListGitCheckpointsRequest, Placed,
    TakeGitCheckpointRequest,
};

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of::<TakeGitCheckpoint>(),
    ToolEntry::of::<ListGitCheckpoints>(),
    ToolEntry::of::<RestoreGitCheckpoint>(),
    ToolEntry::of::<DiffGitCheckpoint>(),
    ToolEntry::of::<DeleteGitCheckpoint>(),
];

/// Take a git checkpoint.
pub(crate) struct TakeGitCheckpoint;

impl ToolKind for TakeGitCheckpoint {
    type Input = TakeGitCheckpointRequest;
    type Output = Placed<TakenGitCheckpoint>;

    const TOOL: Tool = Tool {
        name: "workspace_git_checkpoint",
        title: "Take a git checkpoint",
        module: Module::Fs,
        scope: Scope::Write,
        description: "Save the files in git, quickly, before a risky change; undo with \
                      workspace_git_checkpoint_restore. HEAD, branches, index and stash stay. \
                      Omits ignored files, empty directories and nested repositories. The \
                      checkpoint is lost with the workspace; workspace_snapshot keeps everything.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: TakeGitCheckpointRequest,
    ) -> Result<Placed<TakenGitCheckpoint>> {
        call.session.take_git_checkpoint(input).await
    }
}

/// List git checkpoints.
pub(crate) struct ListGitCheckpoints;

impl ToolKind for ListGitCheckpoints {
    type Input = ListGitCheckpointsRequest;
    type Output = Placed<GitCheckpointList>;

    const TOOL: Tool = Tool {
        name: "workspace_git_checkpoint_list",
        title: "List git checkpoints",
        module: Module::Fs,
        scope: Scope::Read,
        description: "List the git checkpoints of a repository, newest first: name, commit, time and description.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: ListGitCheckpointsRequest,
    ) -> Result<Placed<GitCheckpointList>> {
        call.session.list_git_checkpoints(input).await
    }
}

/// Compare files with a git checkpoint.
pub(crate) struct DiffGitCheckpoint;

impl ToolKind for DiffGitCheckpoint {
    type Input = GitCheckpointTarget;
    type Output = Placed<GitCheckpointDiff>;

    const TEXTS: &'static [&'static str] = &["diff"];

    const TOOL: Tool = Tool {
        name: "workspace_git_checkpoint_diff",
        title: "Compare with a git checkpoint",
        module: Module::Fs,
        scope: Scope::Read,
        description: "Show a unified diff from a git checkpoint (-) to the present files (+). If \
                      truncated, run git diff COMMIT on single paths.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: GitCheckpointTarget,
    ) -> Result<Placed<GitCheckpointDiff>> {
        call.session.diff_git_checkpoint(input).await
    }
}

/// Restore a git checkpoint.
pub(crate) struct RestoreGitCheckpoint;

impl ToolKind for RestoreGitCheckpoint {
    type Input = GitCheckpointTarget;
    type Output = Placed<RestoredGitCheckpoint>;

    const TOOL: Tool = Tool {
        name: "workspace_git_checkpoint_restore",
        title: "Restore a git checkpoint",
        module: Module::Fs,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "Put the files back to a git checkpoint, and remove files added since. \
                      Ignored files, HEAD and index stay. Other changes are lost: see \
                      workspace_git_checkpoint_diff first.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: GitCheckpointTarget,
    ) -> Result<Placed<RestoredGitCheckpoint>> {
        call.session.restore_git_checkpoint(input).await
    }
}

/// Delete a git checkpoint.
pub(crate) struct DeleteGitCheckpoint;

impl ToolKind for DeleteGitCheckpoint {
    type Input = GitCheckpointTarget;
    type Output = Placed<DeletedGitCheckpoint>;

    const TOOL: Tool = Tool {
        name: "workspace_git_checkpoint_delete",
        title: "Delete a git checkpoint",
        module: Module::Fs,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "Delete the git checkpoint of this name. Files do not change. Its heldBytes \
                      stay in the repository until git removes them. Succeeds if it is missing.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: GitCheckpointTarget,
    ) -> Result<Placed<DeletedGitCheckpoint>> {
        call.session.delete_git_checkpoint(input).await
    }
}
