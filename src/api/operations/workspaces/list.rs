//! List workspaces.

use crate::api::operation::absence::{MOVES_DIRECTORIES, SHOWN_ELSEWHERE};
use crate::api::operation::inputs::SwitchArgs;
use crate::api::operation::{
    CURSOR, Call, Descriptor, Entry, LIMIT, LogFields, Method, Module, NamedWorkspace, NoArgs,
    Operation, OperationKind, PageArgs, Reply, Resolves, Route, Tool, ToolCall, ToolEntry,
    ToolKind, Verb, WORKS, WorkspaceTarget, answer, flag,
};
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{ErrorCode, Needs, Result, Scope, WorkspaceRef};
use crate::ports::sandbox::ImportedTar;
use crate::session::files::root_path;
use crate::session::{CopyPaths, EventPage, Placed, WorkspaceList, WorkspaceView};
use serde::{Deserialize, Serialize};

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<Switch>(),
    Entry::of::<SwapRef>(),
    Entry::of::<ListWorkspaces>(),
    Entry::of::<ListWorkspaceEvents>(),
    Entry::of::<CopyBetween>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of::<DescribeWorkspace>(),
    ToolEntry::of_operation::<Switch>(),
    ToolEntry::of_operation::<ListWorkspaces>(),
    ToolEntry::of_operation::<CopyBetween>(),
];

pub(crate) struct ListWorkspaces;

/// Arguments of `listWorkspaces`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct WorkspacesArgs {
    /// Also ask each workspace whether its container runs. Starts none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub containers: bool,
}

impl OperationKind for ListWorkspaces {
    type Input = WorkspacesArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/workspaces",
            "listWorkspaces",
            "List workspaces, oldest first",
            |asked| Ok(Operation::of::<ListWorkspaces>(asked.query()?)),
        )
        .describe("Lists all of them: a session has at most maxWorkspaces.")
        .query(&[flag("containers", "Also report whether each container runs.")])
        .answers::<WorkspaceList>()],
        ..Descriptor::new("listWorkspaces", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<WorkspacesArgs>().describe(
        "Lists all workspaces, oldest first, and says which is active. Starts no container.",
    ));

    async fn run(call: Call<'_>, input: WorkspacesArgs) -> Result<Reply> {
        if input.containers {
            answer(&call.session.list_with_containers().await?)
        } else {
            answer(&call.session.list_workspaces().await?)
        }
    }
}

impl ToolKind for ListWorkspaces {
    type Input = NoArgs;
    type Output = WorkspaceList;

    const TOOL: Tool = Tool {
        name: "workspace_list_workspaces",
        title: "List workspaces",
        module: Module::Snapshot,
        scope: Scope::Read,
        description: "List the workspaces of this session, oldest first, and mark the active one, \
                      which workspace tools act on. Use it to find a workspace to go back to with \
                      workspace_switch.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, _input: NoArgs) -> Result<WorkspaceList> {
        call.session.list_workspaces().await
    }
}

/// Read the history of one workspace.
pub(crate) struct ListWorkspaceEvents;

/// Which workspace, and which page.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EventsArgs {
    /// The workspace: its ref, or its id.
    #[cfg_attr(schemas, schemars(with = "schemas::WorkspaceSelector"))]
    pub r#ref: WorkspaceRef,
    /// Maximum number of results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `nextCursor` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl OperationKind for ListWorkspaceEvents {
    type Input = EventsArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/workspaces/{workspace}/events",
            "listWorkspaceEvents",
            "Read the history of a workspace, newest first",
            |asked| {
                let PageArgs { limit, cursor } = asked.query()?;
                let r#ref = asked.path_id("workspace")?;
                Ok(Operation::of::<ListWorkspaceEvents>(EventsArgs { r#ref, limit, cursor }))
            },
        )
        .without_view(SHOWN_ELSEWHERE)
        .without_command("`snapshotter events` has them among those of the session")
        .describe(
            "The events of the session's log about the workspace: made, switched to, woken, paused, rewound, destroyed; and \
            the snapshots taken from it. The log keeps the newest 10,000 events of a session.",
        )
        .query(&[LIMIT, CURSOR])
        .answers::<EventPage>()
        .errors(&[ErrorCode::WorkspaceNotOwned])],
        ..Descriptor::new("listWorkspaceEvents", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<EventsArgs>().at(&["ref"]).describe(
        "Lists the events about one workspace of this session, newest first, and of the snapshots \
         taken from it.",
    ));

    fn log(input: &EventsArgs, fields: &mut LogFields) {
        fields.workspace(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: EventsArgs) -> Result<Reply> {
        let EventsArgs { r#ref, limit, cursor } = input;
        answer(&call.session.list_workspace_events(&r#ref, limit, cursor.as_deref())?)
    }
}

/// Describe the active workspace.
pub(crate) struct DescribeWorkspace;

impl ToolKind for DescribeWorkspace {
    type Input = NoArgs;
    type Output = WorkspaceView;

    const TOOL: Tool = Tool {
        name: "workspace_describe",
        title: "Where am I?",
        module: Module::Session,
        scope: Scope::Read,
        description: "Show where you are: the active workspace, its root directory, the snapshot it was made from, \
                      what this session may do (modules), its limits, and what an idle container loses when it stops \
                      (whenIdle). Use it first in a new conversation, and after changing workspaces. Next: \
                      workspace_ls, or workspace_list_snapshots for the states you can go back to.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, _input: NoArgs) -> Result<WorkspaceView> {
        call.session.describe_workspace().await
    }
}

/// Make tools act on another workspace.
pub(crate) struct Switch;

impl OperationKind for Switch {
    type Input = SwitchArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Put,
            "/v1/sessions/{session}/active-workspace",
            "setActiveWorkspace",
            "Make tools act on another workspace",
            |asked| {
                let mut args: SwitchArgs = asked.body()?;
                args.expected_active = asked.if_match()?.or(args.expected_active);
                Ok(Operation::of::<Switch>(args))
            },
        )
        .takes::<SwitchArgs>()
        .example(r#"{"ref":{"providerId":"cloudflare-sandbox","ref":{"id":"my-session-branch-0123abcd"}}}"#)
        .answers::<NamedWorkspace>()
        .errors(&[ErrorCode::WorkspaceNotOwned, ErrorCode::Conflict])
        .guarded()
        .tagged()],
        ..Descriptor::new("switch", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<SwitchArgs>()
            .at(&["ref"])
            .resolves(Resolves::Field("ref"))
            .describe("Makes another workspace of this session the active one, and returns it."),
    );

    fn log(input: &SwitchArgs, fields: &mut LogFields) {
        fields.workspace(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: SwitchArgs) -> Result<Reply> {
        let active = call.session.switch_from(input.expected_active.as_ref(), &input.r#ref).await?;
        answer(&NamedWorkspace { r#ref: active })
    }
}

impl ToolKind for Switch {
    type Input = WorkspaceTarget;
    type Output = NamedWorkspace;

    const TOOL: Tool = Tool {
        name: "workspace_switch",
        title: "Switch workspace",
        module: Module::Snapshot,
        scope: Scope::Write,
        idempotent: true,
        description: "Continue in another workspace of this session: every later workspace tool acts on it. No \
                      files are changed in any workspace. Use it to go back to the workspace you were in \
                      before a restore, or to the better of two branches.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: WorkspaceTarget) -> Result<NamedWorkspace> {
        Ok(NamedWorkspace { r#ref: call.session.switch(&input.r#ref).await? })
    }
}

/// Make tools act on another workspace, for callers that keep a registry of refs.
pub(crate) struct SwapRef;

impl OperationKind for SwapRef {
    type Input = SwitchArgs;

    const DESCRIPTOR: Descriptor = Descriptor::new("swapRef", Needs::Scope(Scope::Write));

    const METHOD: Option<Method> = Some(
        Method::takes::<SwitchArgs>()
            .at(&["ref"])
            .resolves(Resolves::Nothing)
            .describe("Makes another workspace of this session the active one."),
    );

    fn log(input: &SwitchArgs, fields: &mut LogFields) {
        fields.workspace(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: SwitchArgs) -> Result<Reply> {
        let active = call.session.switch_from(input.expected_active.as_ref(), &input.r#ref).await?;
        answer(&NamedWorkspace { r#ref: active })
    }
}

/// Copy files of one workspace into another.
pub(crate) struct CopyBetween;

/// Arguments of `copyFromWorkspace`: over HTTP, `from` is in the path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CopyFromWorkspace {
    /// The workspace to copy from: its id.
    #[cfg_attr(schemas, schemars(with = "schemas::WorkspaceSelector"))]
    pub from: WorkspaceRef,
    /// Files and directories under its root, 1 to 100.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::ARCHIVE_COPY_PATHS_MAX)))]
    pub paths: Vec<String>,
    /// Directory that receives them; they keep their relative paths. Default: the root.
    #[serde(default = "root_path")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub to: String,
    /// A workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl CopyFromWorkspace {
    async fn run(self, session: &crate::session::Session) -> Result<Placed<ImportedTar>> {
        let Self { from, paths, to, workspace } = self;
        session.copy_from_workspace(&from, CopyPaths { paths, to, workspace }).await
    }
}

impl OperationKind for CopyBetween {
    type Input = CopyFromWorkspace;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/workspaces/{workspace}/copy",
            "copyFromWorkspace",
            "Copy files of this workspace into another one",
            |asked| {
                let from: WorkspaceRef = asked.path_id("workspace")?;
                let CopyPaths { paths, to, workspace } = asked.body()?;
                Ok(Operation::of::<CopyBetween>(CopyFromWorkspace { from, paths, to, workspace }))
            },
        )
        .without_view(MOVES_DIRECTORIES)
        .describe(
            "All or nothing. Files replace files of the same name; directories are merged. Everything else stays.",
        )
        .takes::<CopyPaths>()
        .answers::<Placed<ImportedTar>>()
        .errors(WORKS)],
        ..Descriptor::new("copyFromWorkspace", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<CopyFromWorkspace>().at(&["from", "paths"]).describe(
            "Copies files and directories of a workspace into another one, by default the active \
             one, all or none. Files replace files of the same name, and directories are merged. \
             Everything else stays. Modes, times and links are kept, as by `exportTar` and \
             `importTar`.",
        ));

    fn log(input: &CopyFromWorkspace, fields: &mut LogFields) {
        fields.note("fromSandboxId", input.from.sandbox_id());
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: CopyFromWorkspace) -> Result<Reply> {
        answer(&input.run(call.session).await?)
    }
}

impl ToolKind for CopyBetween {
    type Input = CopyFromWorkspace;
    type Output = Placed<ImportedTar>;

    const TOOL: Tool = Tool {
        name: "workspace_copy_from_workspace",
        title: "Copy files from another workspace",
        module: Module::Snapshot,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "Copy files or directories from another workspace, e.g. the best attempt, to \
                      the same paths in the current one; all or none. Files of the same name are \
                      replaced; everything else stays.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: CopyFromWorkspace) -> Result<Placed<ImportedTar>> {
        input.run(call.session).await
    }
}
