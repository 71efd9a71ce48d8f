//! Save a workspace and release its container.

use crate::api::operation::absence::OF_THE_PROGRAM;
use crate::api::operation::inputs::Destroyed;
use crate::api::operation::inputs::PauseArgs;
use crate::api::operation::{
    Asked, Call, Descriptor, Entry, LogFields, Method, Module, Operation, OperationKind, Reply,
    Resolves, Route, Tool, ToolCall, ToolEntry, ToolKind, Verb, WORKS, WorkspaceTarget, answer,
};
use crate::domain::{ErrorCode, Needs, Result, Scope, WorkspaceRef};
use crate::session::{DestroyedWorkspace, Paused, Resumed};

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<Pause>(),
    Entry::of::<Resume>(),
    Entry::of::<DestroyWorkspace>(),
    Entry::of::<DestroyContainer>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of_operation::<Pause>(),
    ToolEntry::of_operation::<Resume>(),
    ToolEntry::of_operation::<DestroyWorkspace>(),
];

pub(crate) struct Pause;

impl OperationKind for Pause {
    type Input = PauseArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        takes_snapshot: true,
        recorded: true,
        names_subject: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/workspaces/{workspace}/pause",
            "pauseWorkspace",
            "Save a workspace and release its container until it is resumed; repeating it succeeds",
            |asked| Ok(Operation::of::<Pause>(pause_args(asked)?)),
        )
        .describe(
            "Files that have not changed are not uploaded. Calls that need its container answer CONFLICT from then on. \
            Running calls have 10 s to end. If it can't be saved, nothing is released.",
        )
        .answers::<Paused>()
        .errors(WORKS)
        .recorded()],
        ..Descriptor::new("pause", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<PauseArgs>().at(&["ref"]).cancellable().describe(
            "Saves a workspace, by default the active one, and releases its container. It is \
             saved even with `autosave: false`; files that have not changed are not uploaded. \
             Until `resume` it costs only its storage and does not count for `maxRunning`. Calls \
             that need its container answer `CONFLICT`. It can still be switched to, restored \
             from and destroyed, and it is not retired for being unused. Pausing a paused \
             workspace succeeds.\n\n\
             Processes end with the container, and so do streams of `watch`. Calls that use the \
             workspace have 10 s to end. `CONFLICT`, retryable, if they don't, while `execStream` \
             or `exportTar` is being read, and for a shared workspace. If the save fails \
             (`BACKUP_FAILED` and others), the workspace runs on. A pause counts as a snapshot \
             for `limits.snapshots`.",
        ));

    async fn run(call: Call<'_>, input: PauseArgs) -> Result<Reply> {
        answer(&call.session.pause(input.r#ref.as_ref(), call.abort).await?)
    }
}

impl ToolKind for Pause {
    type Input = PauseArgs;
    type Output = Paused;

    const TOOL: Tool = Tool {
        name: "workspace_pause",
        title: "Pause a workspace",
        module: Module::Session,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "Save all files of a workspace (default: the active one) and release its \
                      container, which then costs nothing until workspace_resume. Processes end; \
                      tools that need the container return CONFLICT until then. Use it for a \
                      workspace that you need much later; idle workspaces are saved, stopped and \
                      started automatically. If the save fails or calls are running in it, you get \
                      an error and it keeps running.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: PauseArgs) -> Result<Paused> {
        call.session.pause(input.r#ref.as_ref(), call.abort).await
    }
}

fn pause_args(asked: &Asked<'_>) -> Result<PauseArgs> {
    let workspace: WorkspaceRef = asked.path_id("workspace")?;
    Ok(PauseArgs { r#ref: Some(workspace) })
}

/// Bring a paused workspace back.
pub(crate) struct Resume;

impl OperationKind for Resume {
    type Input = PauseArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        recorded: true,
        names_subject: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/workspaces/{workspace}/resume",
            "resumeWorkspace",
            "Resume a paused workspace with its files; repeating it succeeds",
            |asked| Ok(Operation::of::<Resume>(pause_args(asked)?)),
        )
        .describe("If it fails, a paused workspace is paused as before.")
        .answers::<Resumed>()
        .errors(WORKS)
        .recorded()],
        ..Descriptor::new("resume", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<PauseArgs>().at(&["ref"]).cancellable().describe(
            "Brings a workspace back, by default the active one, with every file it had, in a \
             container that runs. Processes do not come back. A sleeping workspace wakes; a \
             running one stays as it is. If it fails (`RESTORE_FAILED`, `QUOTA_EXCEEDED`, \
             `UNAVAILABLE`), a paused workspace stays paused; go on with `startFresh` or a \
             restore.",
        ));

    async fn run(call: Call<'_>, input: PauseArgs) -> Result<Reply> {
        answer(&call.session.resume(input.r#ref.as_ref(), call.abort).await?)
    }
}

impl ToolKind for Resume {
    type Input = PauseArgs;
    type Output = Resumed;

    const TOOL: Tool = Tool {
        name: "workspace_resume",
        title: "Resume a workspace",
        module: Module::Session,
        scope: Scope::Write,
        idempotent: true,
        description: "Start a paused workspace (default: the active one) again, with all its \
                      files. Processes do not come back. Use it when a tool returns CONFLICT \
                      because the workspace is paused. If it fails, the workspace stays paused and \
                      the error says what to do.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: PauseArgs) -> Result<Resumed> {
        call.session.resume(input.r#ref.as_ref(), call.abort).await
    }
}

/// Destroy the container of a workspace, and keep the workspace.
pub(crate) struct DestroyContainer;

impl OperationKind for DestroyContainer {
    type Input = WorkspaceTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        stops: true,
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}/workspaces/{workspace}/container",
            "destroyContainer",
            "Destroy a workspace's container, even the active one's; repeating it succeeds",
            |asked| {
                let r#ref: WorkspaceRef = asked.path_id("workspace")?;
                Ok(Operation::of::<DestroyContainer>(WorkspaceTarget { r#ref }))
            },
        )
        .without_view(OF_THE_PROGRAM)
        .describe(
            "Ends it at once, whatever runs in it. Unsaved changes are lost. The workspace stays, and wakes with its \
            last saved files when it is used again.",
        )
        .answers::<Destroyed>()
        .errors(&[ErrorCode::WorkspaceNotOwned, ErrorCode::Conflict, ErrorCode::Unsupported])],
        ..Descriptor::new("destroyContainer", Needs::Trust)
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<WorkspaceTarget>().at(&["ref"]).resolves(Resolves::Nothing).describe(
            "Destroys the container of any workspace, the active one included, with everything \
             that runs in it; also in a closed session. The workspace stays, and wakes with the \
             files of its last save, or empty if it was never saved. Unsaved changes are lost. \
             Only for callers without restriction.",
        ));

    fn log(input: &WorkspaceTarget, fields: &mut LogFields) {
        fields.workspace(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: WorkspaceTarget) -> Result<Reply> {
        call.session.destroy_container(&input.r#ref).await?;
        answer(&Destroyed { destroyed: true })
    }
}

/// Destroy a workspace that is not active.
pub(crate) struct DestroyWorkspace;

impl OperationKind for DestroyWorkspace {
    type Input = WorkspaceTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        stops: true,
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}/workspaces/{workspace}",
            "destroyWorkspace",
            "Destroy an inactive workspace; repeating it succeeds",
            |asked| {
                let r#ref: WorkspaceRef = asked.path_id("workspace")?;
                Ok(Operation::of::<DestroyWorkspace>(WorkspaceTarget { r#ref }))
            },
        )
        .answers::<DestroyedWorkspace>()
        .errors(&[
            ErrorCode::WorkspaceNotOwned,
            ErrorCode::Conflict,
            ErrorCode::Unsupported,
        ])],
        ..Descriptor::new("destroyWorkspace", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> = Some(Method::takes::<WorkspaceTarget>().at(&["ref"]).describe(
        "Destroys a workspace that is not active. Its snapshots are kept, and its last autosave \
             lives for its whole time to live from then on. Unsaved changes are lost; the answer \
             says whether there may be any.",
    ));

    fn log(input: &WorkspaceTarget, fields: &mut LogFields) {
        fields.workspace(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: WorkspaceTarget) -> Result<Reply> {
        answer(&call.session.destroy_workspace(&input.r#ref).await?)
    }
}

impl ToolKind for DestroyWorkspace {
    type Input = WorkspaceTarget;
    type Output = DestroyedWorkspace;

    const TOOL: Tool = Tool {
        name: "workspace_destroy",
        title: "Destroy a workspace",
        module: Module::Snapshot,
        scope: Scope::Snapshot,
        destructive: true,
        idempotent: true,
        description: "Destroy a workspace of this session and its container permanently. Use it \
                      for attempts you no longer need, or when a call returns QUOTA_EXCEEDED. Its \
                      snapshots stay; processes and unsaved files are lost. The active workspace \
                      can't be destroyed: use workspace_switch first. Other workspaces do not \
                      change. Destroying a missing workspace succeeds.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: WorkspaceTarget) -> Result<DestroyedWorkspace> {
        call.session.destroy_workspace(&input.r#ref).await
    }
}
