//! The host's operations as data: what every surface parses into, and the one
//! place that runs them and logs them.

pub(crate) mod answers;
pub(crate) mod args;

pub use crate::api::operation::answers::{Cancelled, Destroyed, NamedWorkspace, ToolList};
pub use crate::api::operation::args::{
    CallToolArgs, CancelArgs, CreateWorkspace, DeleteArgs, FinishUploadArgs, ListArgs,
    LiveForkArgs, NoArgs, OpenArgs, PageArgs, PauseArgs, RewindArgs, SnapshotArgs, SnapshotTarget,
    SwitchArgs, TokenTarget, UpdateSnapshotArgs, UploadTarget, WorkspaceTarget, WorkspacesArgs,
};
pub use crate::api::reply::{Reply, Request};
pub use crate::api::run::{reply, run};
pub use crate::api::start::{Started, start};

use crate::domain::arguments::{read, read_inner};
use crate::domain::call::IdempotencyKey;
use crate::domain::call::subject::CallKind;
use crate::domain::error::Result;
use crate::domain::ids::OperationId;
use crate::domain::snapshot::prune::PruneOwn;
use crate::domain::snapshot::rebuild::RebuildOwn;
use crate::ports::sandbox::UploadPart;
use crate::session::{ArchiveRequest, RunRequest, TokenRequest, WatchRequest};
use serde::de::value::MapDeserializer;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Name of [`Operation::FinishUpload`], which is recorded.
pub(crate) const FINISH_UPLOAD: &str = "finishUpload";

/// One operation on a session and its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", content = "args", rename_all = "camelCase")]
pub enum Operation {
    /// Open the session.
    Open(OpenArgs),
    /// Re-attach to it.
    Resolve(NoArgs),
    /// Show it.
    Describe(NoArgs),
    /// Close it.
    Close(NoArgs),
    /// Give a sleeping workspace an empty container instead of its files.
    StartFresh(NoArgs),
    /// Take a snapshot.
    Snapshot(SnapshotArgs),
    /// Make a workspace from a snapshot.
    Restore(SnapshotTarget),
    /// The same, as an experiment.
    Branch(SnapshotTarget),
    /// Make workspaces from the active one as it is.
    #[serde(rename = "fork")]
    LiveFork(LiveForkArgs),
    /// Put the active workspace back to a snapshot, in place.
    Rewind(RewindArgs),
    /// List snapshots.
    List(ListArgs),
    /// Look at one.
    Get(SnapshotTarget),
    /// Delete one.
    Delete(DeleteArgs),
    /// Change what the session says of one.
    UpdateSnapshot(UpdateSnapshotArgs),
    /// Show what came from what.
    Lineage(NoArgs),
    /// Put this session's snapshots back into its catalogue, from the bucket.
    Rebuild(PageArgs),
    /// Show what the retention policy would delete.
    PlanRetention(NoArgs),
    /// Delete it now.
    Retain(NoArgs),
    /// Make tools act on another workspace, for callers that keep a registry.
    SwapRef(SwitchArgs),
    /// Make tools act on another workspace.
    Switch(SwitchArgs),
    /// List workspaces.
    ListWorkspaces(WorkspacesArgs),
    /// Save one and release its container.
    Pause(PauseArgs),
    /// Bring one back.
    Resume(PauseArgs),
    /// Destroy one.
    DestroyWorkspace(WorkspaceTarget),
    /// Destroy the container of one, and leave the workspace.
    DestroyContainer(WorkspaceTarget),
    /// Tell what the session keeps.
    Usage(NoArgs),
    /// Delete some of its snapshots by an operator's rule. Only the Worker asks
    /// for it, when its operator prunes across sessions.
    Prune(PruneOwn),
    /// Put some of its snapshots back into its catalogue. Only the Worker asks
    /// for it, when its operator rebuilds all sessions.
    RebuildOwn(RebuildOwn),
    /// Read the event log.
    ListEvents(PageArgs),
    /// List the tools.
    ListTools(NoArgs),
    /// Call one.
    CallTool(CallToolArgs),
    /// Run a command and tell what it prints while it runs. Answers with a stream.
    ExecStream(RunRequest),
    /// Tell what changes in a directory. Answers with a stream.
    Watch(WatchRequest),
    /// A directory as a tar archive. Answers with a stream.
    ExportTar(ArchiveRequest),
    /// Put the files of a tar archive into a directory. Reads a stream.
    ImportTar(ArchiveRequest),
    /// Store a part of a tar archive that is too large for one request. Reads a stream.
    StorePart(UploadPart),
    /// Put the files of a stored archive into a directory.
    FinishUpload(FinishUploadArgs),
    /// Remove the stored parts of an archive.
    AbortUpload(UploadTarget),
    /// Cancel a running call.
    Cancel(CancelArgs),
    /// Make a session token.
    CreateToken(TokenRequest),
    /// List the session tokens.
    ListTokens(NoArgs),
    /// End one.
    RevokeToken(TokenTarget),
    /// Show a recorded call.
    GetOperation(CancelArgs),
    /// List recorded calls.
    ListOperations(PageArgs),
    /// Panic, to show that nobody is left hanging. Only in test builds.
    #[cfg(feature = "test-hooks")]
    Panic(NoArgs),
    /// Check that the adapters keep the contracts of their ports. Only in test builds.
    #[cfg(feature = "test-hooks")]
    Contracts(NoArgs),
}

/// How the caller keeps a hold on a call, whatever operation it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Control {
    /// Name to cancel the call by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<OperationId>,
    /// Name of the request: a repetition with it gets the first one's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// Answer at once with the operation, and do the work without the caller.
    /// Only over HTTP.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub respond_async: bool,
    /// The caller's signal was aborted before the call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub aborted: bool,
}

/// An operation as it is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Invocation {
    /// What to do.
    pub operation: Operation,
    /// How the caller keeps a hold on it.
    #[serde(default)]
    pub control: Control,
}

impl Invocation {
    /// Reads an invocation from its parts. Null is none.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` saying what is wrong.
    pub fn parse(op: &str, args: Value, control: Value) -> Result<Self> {
        let operation = Operation::parse(op, args)?;
        let control: Option<Control> = read("options", control)?;
        Ok(Self { operation, control: control.unwrap_or_default() })
    }
}

impl From<Operation> for Invocation {
    fn from(operation: Operation) -> Self {
        Self { operation, control: Control::default() }
    }
}

impl Operation {
    /// Reads an operation from its name and arguments. Null arguments are none.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` saying what is wrong.
    pub fn parse(op: &str, args: Value) -> Result<Self> {
        let args = if args.is_null() { json!({}) } else { args };
        // The name first, so that the arguments are read as what they are.
        let parts = [("op", json!(op)), ("args", args)].into_iter();
        read_inner("arguments", &["args", "config", "edit"], MapDeserializer::new(parts))
    }

    /// The kind of call that its record is of; none if that names nothing that
    /// it makes or changes, or if it is not recorded.
    pub(crate) fn kind(&self) -> Option<CallKind> {
        match self {
            Self::CallTool(args) => CallKind::of_tool(&args.name),
            other => CallKind::of_operation(other.event()),
        }
    }

    /// Name for the log.
    pub(crate) fn event(&self) -> &str {
        match self {
            Self::Open(_) => "open",
            Self::Resolve(_) => "resolve",
            Self::Describe(_) => "describe",
            Self::Close(_) => "close",
            Self::StartFresh(_) => "startFresh",
            Self::Snapshot(_) => "snapshot",
            Self::Restore(_) => "restore",
            Self::Branch(_) => "branch",
            Self::LiveFork(_) => "fork",
            Self::Rewind(_) => "rewind",
            Self::List(_) => "list",
            Self::Get(_) => "get",
            Self::Delete(_) => "delete",
            Self::UpdateSnapshot(_) => "updateSnapshot",
            Self::Lineage(_) => "lineage",
            Self::Rebuild(_) => "rebuild",
            Self::PlanRetention(_) => "planRetention",
            Self::Retain(_) => "retain",
            Self::SwapRef(_) => "swapRef",
            Self::Switch(_) => "switch",
            Self::ListWorkspaces(_) => "listWorkspaces",
            Self::Pause(_) => "pause",
            Self::Resume(_) => "resume",
            Self::DestroyWorkspace(_) => "destroyWorkspace",
            Self::DestroyContainer(_) => "destroyContainer",
            Self::Usage(_) => "usage",
            Self::Prune(_) => "prune",
            Self::RebuildOwn(_) => "rebuildOwn",
            Self::ListEvents(_) => "listEvents",
            Self::ListTools(_) => "listTools",
            Self::CallTool(_) => "callTool",
            Self::ExecStream(_) => "execStream",
            Self::Watch(_) => "watch",
            Self::ExportTar(_) => "exportTar",
            Self::ImportTar(_) => "importTar",
            Self::StorePart(_) => "storePart",
            Self::FinishUpload(_) => FINISH_UPLOAD,
            Self::AbortUpload(_) => "abortUpload",
            Self::Cancel(_) => "cancel",
            Self::CreateToken(_) => "createToken",
            Self::ListTokens(_) => "listTokens",
            Self::RevokeToken(_) => "revokeToken",
            Self::GetOperation(_) => "getOperation",
            Self::ListOperations(_) => "listOperations",
            #[cfg(feature = "test-hooks")]
            Self::Panic(_) => "panic",
            #[cfg(feature = "test-hooks")]
            Self::Contracts(_) => "contracts",
        }
    }
}
