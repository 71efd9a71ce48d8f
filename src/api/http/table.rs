//! The table of routes: what is served, and what is published of it.
//!
//! A new route is a row. Its order among those of the same path and method
//! matters; nothing else does. The file is as long as there are routes.

use crate::api::http::about::{About, Health};
use crate::api::http::operator;
use crate::api::http::param::{CURSOR, Param, ParamKind, flag};
use crate::api::http::request::Asked;
use crate::api::http::route::{Link, Route, Serve, Verb};
use crate::api::operation::{
    CallToolArgs, CancelArgs, Cancelled, CreateWorkspace, DeleteArgs, Destroyed, FinishUploadArgs,
    LiveForkArgs, NamedWorkspace, NoArgs, OpenArgs, Operation, PageArgs, PauseArgs, RewindArgs,
    SnapshotArgs, SnapshotTarget, SwitchArgs, TokenTarget, ToolList, UpdateSnapshotArgs,
    UploadTarget, WorkspaceTarget,
};
use crate::domain::call::OperationView;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{PartNumber, RestoreKind, SandboxId};
use crate::domain::limits::{
    LABEL_KEY_MAX_CHARS, LABEL_VALUE_MAX_CHARS, PATH_MAX_BYTES, SNAPSHOT_NAME_MAX_CHARS,
};
use crate::domain::session::config::WorkspaceConfig;
use crate::domain::session::usage::SessionUsage;
use crate::domain::snapshot::rebuild::Rebuilt;
use crate::domain::snapshot::refs::{SnapshotSelector, WorkspaceRef};
use crate::ports::sandbox::{ImportedTar, UploadPart};
use crate::session::{
    AbortedUpload, CreatedToken, Deleted, DestroyedWorkspace, EventPage, FinishUpload, Lineage,
    LiveForks, OperationPage, Paused, Resumed, RetentionReport, Revoked, Rewound, RunRequest,
    SessionView, SnapshotEdit, SnapshotPage, SnapshotView, StoredPart, TokenList, TokenRequest,
    WorkspaceList,
};
use serde_json::{Map, Value};

const LIMIT: Param = Param {
    name: "limit",
    kind: ParamKind::Count { min: 1, max: u32::MAX },
    description: "Results of a page at most. Default, and most: the session's maxListResults, else 100.",
};
const TIME_AFTER: Param = Param {
    name: "createdAfter",
    kind: ParamKind::Time,
    description: "Made at this time or later, in RFC 3339.",
};
const TIME_BEFORE: Param = Param {
    name: "createdBefore",
    kind: ParamKind::Time,
    description: "Made before this time, in RFC 3339.",
};
const CROSS: Param = flag(
    "allowCrossSession",
    "Also reach snapshots of other sessions, where the session's policy allows it.",
);

const DIRECTORY: Param = Param {
    name: "path",
    kind: ParamKind::Text { max: PATH_MAX_BYTES },
    description: "Directory, relative to the workspace. Default: its root.",
};
const TAR: &str = "application/x-tar";
/// Server-Sent Events.
const EVENT_STREAM: &str = "text/event-stream";

/// Every route.
pub static ROUTES: &[Route] = &[
    Route::session(
        Verb::Put,
        "/v1/sessions/{session}",
        "openSession",
        "Open the session; again with an equal configuration does nothing",
        |asked| Ok(Operation::Open(OpenArgs { config: asked.body()? })),
    )
    .takes::<WorkspaceConfig>()
    .example(r#"{"sleepAfter":"20m","envVars":{"CI":"1"},"capabilities":{"fs":true,"shell":true,"snapshot":true}}"#)
    .answers::<SessionView>()
    .leads(&[
        Link { name: "describe", to: "describeSession", path: &[], body: None },
        Link { name: "snapshot", to: "takeSnapshot", path: &[], body: Some("{}") },
        Link { name: "close", to: "closeSession", path: &[], body: None },
    ])
    .errors(&[
        ErrorCode::SnapshotNotOwned,
        ErrorCode::Conflict,
        ErrorCode::SnapshotExpired,
        ErrorCode::SnapshotGone,
        ErrorCode::Unsupported,
    ]),
    Route::session(
        Verb::Get,
        "/v1/sessions/{session}",
        "describeSession",
        "Show the session",
        |_| Ok(Operation::Describe(NoArgs {})),
    )
    .answers::<SessionView>(),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/close",
        "closeSession",
        "Close the session; its snapshots are kept",
        |_| Ok(Operation::Close(NoArgs {})),
    )
    .answers::<SessionView>()
    .errors(&[ErrorCode::Conflict, ErrorCode::Unsupported]),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/start-fresh",
        "startFresh",
        "Give a sleeping workspace an empty container instead of its files",
        |_| Ok(Operation::StartFresh(NoArgs {})),
    )
    .answers::<NamedWorkspace>()
    .errors(ENTERS),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/rewind",
        "rewind",
        "Put the active workspace back to a snapshot, in place",
        |asked| {
            let mut args: RewindArgs = asked.body()?;
            args.expected_active = asked.if_match()?.or(args.expected_active);
            Ok(Operation::Rewind(args))
        },
    )
    .describe(
        "After a safety snapshot of what it has. Processes that use the directory are ended. If it fails, the workspace is as it was.",
    )
    .takes::<RewindArgs>()
    .example(r#"{"ref":"works"}"#)
    .answers::<Rewound>()
    .errors(WORKS)
    .recorded()
    .guarded(),
    Route::session(
        Verb::Get,
        "/v1/sessions/{session}/snapshots",
        "listSnapshots",
        "List snapshots, newest first",
        |asked| Ok(Operation::List(asked.query()?)),
    )
    .query(&[
        LIMIT,
        CURSOR,
        flag("includeExpired", "Also expired snapshots."),
        flag("includeUnready", "Also those being taken, deleted or failed."),
        flag("includeAuto", "Also automatic ones."),
        flag(
            "allowCrossSession",
            "Walk the whole bucket, in key order, where the policy allows it.",
        ),
        Param {
            name: "name",
            kind: ParamKind::Text { max: 4 * SNAPSHOT_NAME_MAX_CHARS },
            description: "Exactly this name.",
        },
        Param {
            name: "labels",
            kind: ParamKind::Texts { max: LABEL_KEY_MAX_CHARS + 1 + 4 * LABEL_VALUE_MAX_CHARS },
            description: "A label: a key, or key=value. Given more than once, all of them.",
        },
        Param {
            name: "kind",
            kind: ParamKind::Choice(&["full"]),
            description: "This kind of archive: full.",
        },
        TIME_AFTER,
        TIME_BEFORE,
    ])
    .answers::<SnapshotPage>()
    .errors(&[ErrorCode::CrossSessionDisabled, ErrorCode::Unsupported]),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/snapshots",
        "takeSnapshot",
        "Save the active workspace; answers once R2 holds it",
        |asked| {
            let mut args: SnapshotArgs = asked.body()?;
            args.expected_active = asked.if_match()?.or(args.expected_active);
            Ok(Operation::Snapshot(args))
        },
    )
    .takes::<SnapshotArgs>()
    .answers::<SnapshotView>()
    .example(r#"{"name":"works","description":"all tests pass","ttlSeconds":86400}"#)
    .creates(|made| text(made, "/snapshot/id").map(|id| format!("/snapshots/{id}")))
    .leads(&[
        Link {
            name: "look",
            to: "getSnapshot",
            path: &[("snapshot", "$response.body#/snapshot/id")],
            body: None,
        },
        Link {
            name: "branch",
            to: "createWorkspace",
            path: &[],
            body: Some(r#"{"from":"$response.body#/snapshot/id","kind":"branch"}"#),
        },
        Link {
            name: "delete",
            to: "deleteSnapshot",
            path: &[("snapshot", "$response.body#/snapshot/id")],
            body: None,
        },
    ])
    .errors(WORKS)
    .recorded()
    .guarded(),
    Route::session(
        Verb::Get,
        "/v1/sessions/{session}/snapshots/{snapshot}",
        "getSnapshot",
        "Look at a snapshot, by its id or name",
        |asked| Ok(Operation::Get(snapshot_target(asked)?)),
    )
    .query(&[CROSS])
    .answers::<SnapshotView>()
    .errors(REACHES)
    .cancellable(),
    Route::session(
        Verb::Patch,
        "/v1/sessions/{session}/snapshots/{snapshot}",
        "updateSnapshot",
        "Rename, describe, label, pin, publish or re-date a snapshot",
        |asked| {
            let r#ref = SnapshotSelector::named(asked.path("snapshot")?);
            Ok(Operation::UpdateSnapshot(UpdateSnapshotArgs { r#ref, edit: asked.body()? }))
        },
    )
    .describe("What is absent stays as it is; null removes a name, a description or a label.")
    .takes::<SnapshotEdit>()
    .answers::<SnapshotView>()
    .errors(&[
        ErrorCode::SnapshotNotOwned,
        ErrorCode::Conflict,
        ErrorCode::SnapshotGone,
        ErrorCode::Unsupported,
    ]),
    Route::session(
        Verb::Delete,
        "/v1/sessions/{session}/snapshots/{snapshot}",
        "deleteSnapshot",
        "Delete a snapshot; again succeeds",
        |asked| {
            let SnapshotTarget { r#ref, allow_cross_session } = snapshot_target(asked)?;
            let force = asked.flag("force")?;
            Ok(Operation::Delete(DeleteArgs { r#ref, allow_cross_session, force }))
        },
    )
    .query(&[
        CROSS,
        flag(
            "force",
            "Also what is pinned or published, or what a workspace would wake from that sleeps or is not saved by itself; it then begins anew.",
        ),
    ])
    .answers::<Deleted>()
    .errors(REACHES)
    .cancellable(),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/rebuild",
        "rebuildCatalogue",
        "Put the session's snapshots back into its catalogue, from the bucket",
        |asked| Ok(Operation::Rebuild(asked.body()?)),
    )
    .describe("For a session whose object lost its storage. One page of the bucket a call; again does nothing more.")
    .takes::<PageArgs>()
    .answers::<Rebuilt>(),
    Route::session(
        Verb::Get,
        "/v1/sessions/{session}/lineage",
        "getLineage",
        "Show what came from what: the tree of workspaces and snapshots",
        |_| Ok(Operation::Lineage(NoArgs {})),
    )
    .answers::<Lineage>()
    .errors(&[ErrorCode::Unsupported]),
    Route::session(
        Verb::Get,
        "/v1/sessions/{session}/retention",
        "planRetention",
        "Show what the retention policy would delete now, and what that frees",
        |_| Ok(Operation::PlanRetention(NoArgs {})),
    )
    .describe("A dry run: nothing is changed.")
    .answers::<RetentionReport>(),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/retention",
        "retain",
        "Delete it now, rather than when the alarm is due",
        |_| Ok(Operation::Retain(NoArgs {})),
    )
    .answers::<RetentionReport>(),
    Route::session(
        Verb::Get,
        "/v1/sessions/{session}/workspaces",
        "listWorkspaces",
        "List workspaces, oldest first",
        |asked| Ok(Operation::ListWorkspaces(asked.query()?)),
    )
    .describe("All of them: a session has at most maxWorkspaces.")
    .query(&[flag("containers", "Also tell of each whether its container runs.")])
    .answers::<WorkspaceList>(),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/workspaces",
        "createWorkspace",
        "Make a workspace from a snapshot",
        |asked| {
            let CreateWorkspace { from, kind, allow_cross_session } = asked.body()?;
            let target = SnapshotTarget { r#ref: from, allow_cross_session };
            Ok(match kind {
                RestoreKind::Restored => Operation::Restore(target),
                RestoreKind::Branch => Operation::Branch(target),
            })
        },
    )
    .describe("The active workspace stays active, and is not touched. If it fails, nothing has changed.")
    .takes::<CreateWorkspace>()
    .example(r#"{"from":"works","kind":"branch"}"#)
    .answers::<NamedWorkspace>()
    .creates(|made| text(made, "/ref/ref/id").map(|id| format!("/workspaces/{id}")))
    .leads(&[
        Link {
            name: "switch",
            to: "setActiveWorkspace",
            path: &[],
            body: Some(r#"{"ref":"$response.body#/ref"}"#),
        },
        Link {
            name: "destroy",
            to: "destroyWorkspace",
            path: &[("workspace", "$response.body#/ref/ref/id")],
            body: None,
        },
    ])
    .errors(WORKS)
    .recorded(),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/forks",
        "forkWorkspace",
        "Make workspaces from the active one as it is now",
        |asked| {
            let mut args: LiveForkArgs = asked.body()?;
            args.expected_active = asked.if_match()?.or(args.expected_active);
            Ok(Operation::LiveFork(args))
        },
    )
    .describe(
        "It is saved first, if it has changed. It stays active, and is not touched. Each workspace has its own result or error.",
    )
    .takes::<LiveForkArgs>()
    .example(r#"{"count":3}"#)
    .answers::<LiveForks>()
    .errors(WORKS)
    .recorded()
    .guarded(),
    Route::session(
        Verb::Delete,
        "/v1/sessions/{session}/workspaces/{workspace}",
        "destroyWorkspace",
        "Destroy a workspace that is not active; again succeeds",
        |asked| {
            let id: SandboxId = asked.path_id("workspace")?;
            Ok(Operation::DestroyWorkspace(WorkspaceTarget { r#ref: WorkspaceRef::new(id) }))
        },
    )
    .answers::<DestroyedWorkspace>()
    .errors(&[ErrorCode::WorkspaceNotOwned, ErrorCode::Conflict, ErrorCode::Unsupported]),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/workspaces/{workspace}/pause",
        "pauseWorkspace",
        "Save a workspace and release its container, until it is resumed; again succeeds",
        |asked| Ok(Operation::Pause(pause_args(asked)?)),
    )
    .describe(
        "Files that have not changed are not uploaded. Calls that need its container answer CONFLICT from then on. Calls \
        that are in it have 10 s to end. If it can't be saved, nothing is released.",
    )
    .answers::<Paused>()
    .errors(WORKS)
    .recorded(),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/workspaces/{workspace}/resume",
        "resumeWorkspace",
        "Bring a workspace back, with its files, in a container that runs; again succeeds",
        |asked| Ok(Operation::Resume(pause_args(asked)?)),
    )
    .describe("If it fails, a paused workspace is paused as before.")
    .answers::<Resumed>()
    .errors(WORKS)
    .recorded(),
    Route::session(
        Verb::Delete,
        "/v1/sessions/{session}/workspaces/{workspace}/container",
        "destroyContainer",
        "Destroy the container of a workspace, the active one's too; again succeeds",
        |asked| {
            let id: SandboxId = asked.path_id("workspace")?;
            Ok(Operation::DestroyContainer(WorkspaceTarget { r#ref: WorkspaceRef::new(id) }))
        },
    )
    .describe(
        "At once, and whatever runs in it. The workspace stays: used again, it wakes with the files it was last saved with; \
        what was not saved is gone.",
    )
    .answers::<Destroyed>()
    .errors(&[ErrorCode::WorkspaceNotOwned, ErrorCode::Conflict, ErrorCode::Unsupported]),
    Route::session(
        Verb::Get,
        "/v1/sessions/{session}/usage",
        "getUsage",
        "Tell what the session keeps, in numbers",
        |_| Ok(Operation::Usage(NoArgs {})),
    )
    .answers::<SessionUsage>(),
    Route::session(
        Verb::Get,
        "/v1/sessions/{session}/active-workspace",
        "getActiveWorkspace",
        "Tell which workspace tools act on",
        |_| Ok(Operation::Resolve(NoArgs {})),
    )
    .answers::<NamedWorkspace>()
    .errors(&[ErrorCode::Conflict])
    .tagged(),
    Route::session(
        Verb::Put,
        "/v1/sessions/{session}/active-workspace",
        "setActiveWorkspace",
        "Make tools act on another workspace",
        |asked| {
            let mut args: SwitchArgs = asked.body()?;
            args.expected_active = asked.if_match()?.or(args.expected_active);
            Ok(Operation::Switch(args))
        },
    )
    .takes::<SwitchArgs>()
    .example(r#"{"ref":{"providerId":"cloudflare-sandbox","ref":{"id":"my-session-branch-0123abcd"}}}"#)
    .answers::<NamedWorkspace>()
    .errors(&[ErrorCode::WorkspaceNotOwned, ErrorCode::Conflict])
    .guarded()
    .tagged(),
    Route::session(
        Verb::Get,
        "/v1/sessions/{session}/events",
        "listEvents",
        "Read the event log, newest first",
        |asked| Ok(Operation::ListEvents(asked.query()?)),
    )
    .query(&[LIMIT, CURSOR])
    .answers::<EventPage>(),
    Route::session(
        Verb::Get,
        "/v1/sessions/{session}/tools",
        "listTools",
        "List the session's tools, for a model",
        |_| Ok(Operation::ListTools(NoArgs {})),
    )
    .answers::<ToolList>(),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/tools/{tool}",
        "callTool",
        "Call a tool",
        |asked| {
            let name = asked.path("tool")?.to_owned();
            let input = asked.body::<Map<String, Value>>()?.into();
            let expected_active = asked.if_match()?;
            Ok(Operation::CallTool(CallToolArgs { name, input, expected_active }))
        },
    )
    .takes::<Map<String, Value>>()
    .answers::<Map<String, Value>>()
    .errors(WORKS)
    .recorded()
    .guarded(),
    Route::session(
        Verb::Get,
        "/v1/sessions/{session}/operations",
        "listOperations",
        "List recorded calls, newest first, without their results",
        |asked| Ok(Operation::ListOperations(asked.query()?)),
    )
    .describe(
        "Calls of the last 24 hours with an Idempotency-Key, and the newest 1,000 of those with Prefer: respond-async alone.",
    )
    .query(&[LIMIT, CURSOR])
    .answers::<OperationPage>(),
    Route::session(
        Verb::Get,
        "/v1/sessions/{session}/operations/{operation}",
        "getOperation",
        "Tell what became of a recorded call",
        |asked| {
            let operation_id = asked.path_id("operation")?;
            Ok(Operation::GetOperation(CancelArgs { operation_id }))
        },
    )
    .answers::<OperationView>(),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/commands",
        "runCommand",
        "Run a command and tell what it prints while it runs",
        |asked| Ok(Operation::ExecStream(asked.body()?)),
    )
    .describe(
        "Server-Sent Events: first `start`, last `complete` or `error`. A client that goes away ends the command.",
    )
    .takes::<RunRequest>()
    .streams(EVENT_STREAM)
    .errors(ENTERS),
    Route::session(
        Verb::Get,
        "/v1/sessions/{session}/archive",
        "exportArchive",
        "The tree below a directory as a tar archive",
        |asked| Ok(Operation::ExportTar(asked.query()?)),
    )
    .describe(
        "Files, directories and symbolic links, which are not followed. What can't be finished breaks off: the body then \
        ends without its last chunk.",
    )
    .query(&[DIRECTORY])
    .streams(TAR)
    .errors(ENTERS),
    Route::session(
        Verb::Put,
        "/v1/sessions/{session}/archive",
        "importArchive",
        "Put the files of a tar archive into a directory",
        |asked| Ok(Operation::ImportTar(asked.query()?)),
    )
    .describe(
        "All or none: an archive that is refused or broken changes nothing. Files replace those of their name, directories \
        are merged.",
    )
    .query(&[DIRECTORY])
    .receives(TAR)
    .answers::<ImportedTar>()
    .errors(ENTERS),
    Route::session(
        Verb::Put,
        "/v1/sessions/{session}/archive/uploads/{upload}/{part}",
        "storePart",
        "Store a part of an archive that is too large for one request",
        |asked| Ok(Operation::StorePart(upload_part(asked)?)),
    )
    .describe(
        "The caller names the upload. Parts are numbered from 1, come in any order, and one that comes again is replaced. \
        Needs Content-Length.",
    )
    .receives("application/octet-stream")
    .answers::<StoredPart>()
    .errors(ENTERS),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/archive/uploads/{upload}",
        "finishUpload",
        "Put the files of an archive whose parts are stored into a directory",
        |asked| {
            let upload = asked.path_id("upload")?;
            Ok(Operation::FinishUpload(FinishUploadArgs { upload, archive: asked.body()? }))
        },
    )
    .describe(
        "As importArchive does with the parts joined. If parts are missing, CONFLICT names them. If it fails, the parts stay.",
    )
    .takes::<FinishUpload>()
    .example(r#"{"parts":3,"path":"data"}"#)
    .answers::<ImportedTar>()
    .errors(ENTERS)
    .recorded(),
    Route::session(
        Verb::Delete,
        "/v1/sessions/{session}/archive/uploads/{upload}",
        "abortUpload",
        "Remove the parts of an upload; again succeeds",
        |asked| Ok(Operation::AbortUpload(UploadTarget { upload: asked.path_id("upload")? })),
    )
    .answers::<AbortedUpload>()
    .errors(ENTERS),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/operations/{operation}/cancel",
        "cancelOperation",
        "Ask a call that has a name to end",
        |asked| {
            let operation_id = asked.path_id("operation")?;
            Ok(Operation::Cancel(CancelArgs { operation_id }))
        },
    )
    .describe(
        "It ends before its next step, or completes where it has none left; its own answer says which. A recorded call that has ended stays as it is.",
    )
    .answers::<Cancelled>(),
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/tokens",
        "createToken",
        "Make a session token; its text is told this once",
        |asked| Ok(Operation::CreateToken(asked.body()?)),
    )
    .describe("And once more to who repeats the call under its key, while the token is good.")
    .takes::<TokenRequest>()
    .answers::<CreatedToken>()
    .creates(|made| text(made, "/id").map(|id| format!("/tokens/{id}")))
    .errors(&[ErrorCode::Conflict, ErrorCode::QuotaExceeded])
    .keyed(),
    Route::session(
        Verb::Get,
        "/v1/sessions/{session}/tokens",
        "listTokens",
        "List the session tokens that are good, newest first",
        |_| Ok(Operation::ListTokens(NoArgs {})),
    )
    .describe("All of them: a session has at most 100.")
    .answers::<TokenList>(),
    Route::session(
        Verb::Delete,
        "/v1/sessions/{session}/tokens/{token}",
        "revokeToken",
        "Revoke a session token, at once; again succeeds",
        |asked| {
            let token_id = asked.path_id("token")?;
            Ok(Operation::RevokeToken(TokenTarget { token_id }))
        },
    )
    .answers::<Revoked>(),
    operator::LIST_SESSIONS,
    operator::LIST_WORKSPACES,
    operator::USAGE,
    operator::PRUNE,
    operator::REBUILD,
    operator::LIST_EVENTS,
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/mcp",
        "mcp",
        "The Model Context Protocol over Streamable HTTP",
        |_| Err(Error::internal("MCP is not an operation")),
    )
    .describe("Revisions 2025-11-25 and 2026-07-28. Bodies and answers are JSON-RPC messages as those say.")
    .errors(&[ErrorCode::TooLarge])
    .served(Serve::Mcp),
    Route::session(Verb::Get, "/", "about", "What this is, and where it is described", public)
        .answers::<About>()
        .served(Serve::About),
    Route::session(Verb::Get, "/health", "health", "Whether the Worker is configured", public)
        .describe("Its bindings are there and `API_TOKEN` is set. It asks neither R2 nor any object.")
        .answers::<Health>()
        .served(Serve::Health),
    Route::session(Verb::Get, "/openapi.json", "getOpenApi", "This document", public)
        .served(Serve::OpenApi),
    #[cfg(feature = "test-hooks")]
    Route::session(Verb::Post, "/v1/sessions/{session}/test-panic", "testPanic", "", |_| {
        Ok(Operation::Panic(NoArgs {}))
    }),
    #[cfg(feature = "test-hooks")]
    Route::session(
        Verb::Post,
        "/v1/sessions/{session}/test-contracts",
        "testContracts",
        "",
        |_| Ok(Operation::Contracts(NoArgs {})),
    ),
];

fn public(_: &Asked<'_>) -> Result<Operation> {
    Err(Error::internal("not an operation of a session"))
}

/// What reaching for a snapshot can meet.
const REACHES: &[ErrorCode] = &[
    ErrorCode::SnapshotNotOwned,
    ErrorCode::CrossSessionDisabled,
    ErrorCode::Conflict,
    ErrorCode::SnapshotGone,
    ErrorCode::TooLarge,
    ErrorCode::Unsupported,
    ErrorCode::Integrity,
];

/// What a call on the active workspace can meet, which may have to wake first.
const ENTERS: &[ErrorCode] = &[
    ErrorCode::Conflict,
    ErrorCode::WorkspaceLost,
    ErrorCode::TooLarge,
    ErrorCode::QuotaExceeded,
    ErrorCode::Aborted,
    ErrorCode::Unsupported,
    ErrorCode::RestoreFailed,
];

/// What work on snapshots in a container can meet: with that, all of these.
const WORKS: &[ErrorCode] = &[
    ErrorCode::SnapshotNotOwned,
    ErrorCode::WorkspaceNotOwned,
    ErrorCode::CrossSessionDisabled,
    ErrorCode::Conflict,
    ErrorCode::WorkspaceLost,
    ErrorCode::SnapshotExpired,
    ErrorCode::SnapshotGone,
    ErrorCode::TooLarge,
    ErrorCode::QuotaExceeded,
    ErrorCode::Aborted,
    ErrorCode::Unsupported,
    ErrorCode::BackupFailed,
    ErrorCode::RestoreFailed,
    ErrorCode::Integrity,
];

fn pause_args(asked: &Asked<'_>) -> Result<PauseArgs> {
    let id: SandboxId = asked.path_id("workspace")?;
    Ok(PauseArgs { r#ref: Some(WorkspaceRef::new(id)) })
}

fn upload_part(asked: &Asked<'_>) -> Result<UploadPart> {
    // Only the length tells a whole part from one that broke off on its way.
    let length = (asked.header)("content-length");
    let size_bytes = length.and_then(|length| length.trim().parse().ok()).ok_or_else(|| {
        Error::invalid("Content-Length", "is missing: the size of the part in bytes")
    })?;
    let part = PartNumber::parse(asked.path("part")?)?;
    Ok(UploadPart { upload: asked.path_id("upload")?, part, size_bytes })
}

fn snapshot_target(asked: &Asked<'_>) -> Result<SnapshotTarget> {
    let r#ref = SnapshotSelector::named(asked.path("snapshot")?);
    Ok(SnapshotTarget { r#ref, allow_cross_session: asked.flag("allowCrossSession")? })
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}
