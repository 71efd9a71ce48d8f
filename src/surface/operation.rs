//! The host's operations as data: what every surface parses into, and the one
//! place that runs them and logs them.

use crate::domain::backup::Ttl;
use crate::domain::config::WorkspaceConfig;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{ForkKind, OperationId};
use crate::domain::refs::{SnapshotSelector, WorkspaceRef};
use crate::ports::clock::Clock;
use crate::ports::log::{Level, Log, LogLine};
use crate::tools;
use crate::usecases::host::{Abort, Host, ListRequest, SnapshotRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

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
    /// Give a lost workspace an empty container.
    StartFresh(NoArgs),
    /// Take a snapshot.
    Snapshot(SnapshotArgs),
    /// Make a workspace from a snapshot.
    Restore(SnapshotTarget),
    /// The same, as an experiment.
    Branch(SnapshotTarget),
    /// List snapshots.
    List(ListArgs),
    /// Look at one.
    Get(SnapshotTarget),
    /// Delete one.
    Delete(SnapshotTarget),
    /// Make tools act on another workspace, for callers that keep a registry.
    SwapRef(WorkspaceTarget),
    /// Make tools act on another workspace.
    Switch(WorkspaceTarget),
    /// List workspaces.
    ListWorkspaces(NoArgs),
    /// Destroy one.
    DestroyWorkspace(WorkspaceTarget),
    /// Read the event log.
    ListEvents(PageArgs),
    /// List the tools.
    ListTools(NoArgs),
    /// Call one.
    CallTool(CallToolArgs),
    /// Cancel a running call.
    Cancel(CancelArgs),
    /// Panic, to show that nobody is left hanging. Only in test builds.
    #[cfg(feature = "test-hooks")]
    Panic(NoArgs),
    /// Check that the adapters keep the contracts of their ports. Only in test builds.
    #[cfg(feature = "test-hooks")]
    Contracts(NoArgs),
}

/// An operation without arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoArgs {}

/// Arguments of `open`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OpenArgs {
    /// The session's configuration.
    pub config: WorkspaceConfig,
}

/// How a long call is cancelled.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CallControl {
    /// Name to cancel the call by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<OperationId>,
    /// The caller's signal was aborted before the call.
    pub aborted: bool,
}

/// Arguments of `snapshot`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SnapshotArgs {
    /// Name within the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What to remember.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Time to live in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<Ttl>,
    /// Take the name from a snapshot that has it.
    pub replace: bool,
    /// Cancellation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<CallControl>,
}

/// Arguments of an operation on one snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SnapshotTarget {
    /// Which.
    pub r#ref: SnapshotSelector,
    /// Also reach snapshots of other sessions.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Cancellation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<CallControl>,
}

/// Arguments of `list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListArgs {
    /// Results at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Also expired snapshots.
    pub include_expired: bool,
    /// Also those being taken, deleted or failed.
    pub include_unready: bool,
    /// Walk the whole bucket.
    pub allow_cross_session: bool,
}

/// Arguments of an operation on one workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceTarget {
    /// Which.
    pub r#ref: WorkspaceRef,
}

/// Arguments of a plain list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PageArgs {
    /// Results at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Arguments of `callTool`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallToolArgs {
    /// Which tool.
    pub name: String,
    /// Its input.
    #[serde(default)]
    pub input: Value,
    /// Cancellation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<CallControl>,
}

/// Arguments of `cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelArgs {
    /// The name that was given to the call.
    pub operation_id: OperationId,
}

impl Operation {
    /// Reads an operation from its name and arguments. Null arguments are none.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` saying what is wrong.
    pub fn parse(op: &str, args: Value) -> Result<Self> {
        let args = if args.is_null() { json!({}) } else { args };
        serde_json::from_value(json!({ "op": op, "args": args }))
            .map_err(|error| Error::new(ErrorCode::InvalidArgument, format!("{op}: {error}")))
    }

    /// Name for the log: for a tool call the tool's.
    fn event(&self) -> &str {
        match self {
            Self::Open(_) => "open",
            Self::Resolve(_) => "resolve",
            Self::Describe(_) => "describe",
            Self::Close(_) => "close",
            Self::StartFresh(_) => "startFresh",
            Self::Snapshot(_) => "snapshot",
            Self::Restore(_) => "restore",
            Self::Branch(_) => "branch",
            Self::List(_) => "list",
            Self::Get(_) => "get",
            Self::Delete(_) => "delete",
            Self::SwapRef(_) => "swapRef",
            Self::Switch(_) => "switch",
            Self::ListWorkspaces(_) => "listWorkspaces",
            Self::DestroyWorkspace(_) => "destroyWorkspace",
            Self::ListEvents(_) => "listEvents",
            Self::ListTools(_) => "listTools",
            Self::CallTool(_) => "callTool",
            Self::Cancel(_) => "cancel",
            #[cfg(feature = "test-hooks")]
            Self::Panic(_) => "panic",
            #[cfg(feature = "test-hooks")]
            Self::Contracts(_) => "contracts",
        }
    }

    fn control(&self) -> Option<&CallControl> {
        match self {
            Self::Snapshot(args) => args.control.as_ref(),
            Self::Restore(args) | Self::Branch(args) | Self::Get(args) | Self::Delete(args) => {
                args.control.as_ref()
            }
            Self::CallTool(args) => args.control.as_ref(),
            _ => None,
        }
    }
}

/// Runs an operation under its caller's signal and writes its one log line.
///
/// # Errors
/// Whatever the operation answers. An `INTERNAL` one carries an incident id
/// that the log line has too.
pub async fn run(
    host: &Host,
    operation: Operation,
    abort: &Abort,
    clock: &dyn Clock,
    log: &dyn Log,
    incident_id: impl FnOnce() -> String,
) -> Result<Value> {
    let started_ms = clock.now_ms();
    let mut fields = loggable(&operation);
    let event = operation.event().to_owned();
    let result = dispatch(host, operation, abort).await;
    fields.insert("session".to_owned(), json!(host.session()));
    fields.insert("durationMs".to_owned(), json!(clock.now_ms() - started_ms));
    let (level, result) = match result {
        Ok(value) => {
            fields.insert("outcome".to_owned(), json!("ok"));
            note_result(&mut fields, &value);
            (Level::Info, Ok(value))
        }
        Err(error) => {
            let (level, error) = note_error(&mut fields, error, incident_id);
            (level, Err(error))
        }
    };
    log.write(LogLine { level, event, fields });
    result
}

async fn dispatch(host: &Host, operation: Operation, abort: &Abort) -> Result<Value> {
    let _cancellable = match operation.control() {
        Some(control) if control.aborted => {
            abort.abort();
            None
        }
        Some(CallControl { operation_id: Some(id), .. }) => Some(host.cancellable(id, abort)?),
        _ => None,
    };
    abort.check()?;
    match operation {
        Operation::Open(args) => render(&host.open(args.config)?),
        Operation::Resolve(NoArgs {}) => render(&json!({ "ref": host.resolve()? })),
        Operation::Describe(NoArgs {}) => render(&host.describe()?),
        Operation::Close(NoArgs {}) => render(&host.close().await?),
        Operation::StartFresh(NoArgs {}) => render(&json!({ "ref": host.start_fresh().await? })),
        Operation::Snapshot(args) => {
            let request = SnapshotRequest {
                name: args.name,
                description: args.description,
                ttl: args.ttl_seconds,
                replace: args.replace,
            };
            render(&host.snapshot(request, abort).await?)
        }
        Operation::Restore(args) => {
            let allow = args.allow_cross_session;
            render(&host.fork(ForkKind::Restored, &args.r#ref, allow, abort).await?)
        }
        Operation::Branch(args) => {
            let allow = args.allow_cross_session;
            render(&host.fork(ForkKind::Branch, &args.r#ref, allow, abort).await?)
        }
        Operation::List(args) => {
            let request = ListRequest {
                limit: args.limit,
                cursor: args.cursor,
                include_expired: args.include_expired,
                include_unready: args.include_unready,
                allow_cross_session: args.allow_cross_session,
            };
            render(&host.list(&request).await?)
        }
        Operation::Get(args) => render(&host.get(&args.r#ref, args.allow_cross_session).await?),
        Operation::Delete(args) => {
            render(&host.delete(&args.r#ref, args.allow_cross_session).await?)
        }
        Operation::SwapRef(args) | Operation::Switch(args) => {
            render(&json!({ "ref": host.switch(&args.r#ref).await? }))
        }
        Operation::ListWorkspaces(NoArgs {}) => render(&host.list_workspaces()?),
        Operation::DestroyWorkspace(args) => {
            host.destroy_workspace(&args.r#ref).await?;
            render(&json!({ "destroyed": true }))
        }
        Operation::ListEvents(args) => {
            render(&host.list_events(args.limit, args.cursor.as_deref())?)
        }
        Operation::ListTools(NoArgs {}) => {
            render(&json!({ "tools": tools::list(&host.config()?.modules)? }))
        }
        Operation::CallTool(args) => tools::call(host, &args.name, args.input, abort).await,
        Operation::Cancel(args) => {
            host.cancel(&args.operation_id)?;
            render(&json!({ "cancelled": true }))
        }
        #[cfg(feature = "test-hooks")]
        #[expect(clippy::panic, reason = "what this operation is for")]
        Operation::Panic(NoArgs {}) => panic!("on purpose"),
        #[cfg(feature = "test-hooks")]
        Operation::Contracts(NoArgs {}) => {
            host.check_contracts().await?;
            render(&json!({ "kept": true }))
        }
    }
}

fn render<T: Serialize>(value: &T) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::internal(error.to_string()))
}

/// What of the arguments may be logged: ids and names of tools, no content.
fn loggable(operation: &Operation) -> Map<String, Value> {
    let mut fields = Map::new();
    let backup_id = |selector: &SnapshotSelector| match selector {
        SnapshotSelector::Ref(named) => json!(named.payload.backup.id),
        SnapshotSelector::Id(id) => json!(id),
        SnapshotSelector::Name(_) => json!("by name"),
    };
    match operation {
        Operation::Restore(args)
        | Operation::Branch(args)
        | Operation::Get(args)
        | Operation::Delete(args) => {
            fields.insert("backupId".to_owned(), backup_id(&args.r#ref));
        }
        Operation::SwapRef(args) | Operation::Switch(args) | Operation::DestroyWorkspace(args) => {
            fields.insert("sandboxId".to_owned(), json!(args.r#ref.sandbox_id()));
        }
        Operation::CallTool(args) => {
            // A name that is no tool of ours is the caller's text.
            let known = args.name.len() <= 64 && args.name.starts_with("workspace_");
            fields.insert("tool".to_owned(), json!(if known { &args.name } else { "unknown" }));
        }
        _ => {}
    }
    fields
}

/// Ids and sizes of what an operation made.
fn note_result(fields: &mut Map<String, Value>, value: &Value) {
    for (field, pointer) in [
        ("backupId", "/snapshot/id"),
        ("sizeBytes", "/snapshot/sizeBytes"),
        ("sandboxId", "/ref/ref/id"),
    ] {
        if let Some(found) = value.pointer(pointer) {
            fields.insert(field.to_owned(), found.clone());
        }
    }
    if let Some(results) = value.get("snapshots").and_then(Value::as_array) {
        fields.insert("results".to_owned(), json!(results.len()));
    }
}

fn note_error(
    fields: &mut Map<String, Value>,
    error: Error,
    incident_id: impl FnOnce() -> String,
) -> (Level, Error) {
    fields.insert("outcome".to_owned(), json!(error.code));
    if let Some(cause) = &error.cause {
        fields.insert("cause".to_owned(), json!(cause));
    }
    if error.code != ErrorCode::Internal {
        return (Level::Warn, error);
    }
    let incident_id = incident_id();
    fields.insert("incidentId".to_owned(), json!(incident_id));
    (Level::Error, error.with_details(json!({ "incidentId": incident_id })))
}
