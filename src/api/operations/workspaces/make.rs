//! Make a workspace from a snapshot.

use crate::api::operation::absence::OF_THE_PROGRAM;
use crate::api::operation::inputs::MakeArgs;
use crate::api::operation::{
    Call, Descriptor, ENTERS, Entry, Link, LogFields, Method, Module, NamedWorkspace, NoArgs,
    Operation, OperationKind, Reply, Resolves, Route, Tool, ToolCall, ToolEntry, ToolKind, Verb,
    WORKS, answer, text,
};
use crate::domain::{Needs, RestoreKind, Result, Scope, SnapshotSelector, WorkspaceRef};
#[cfg(schemas)]
use crate::domain::{limits, schemas};
use crate::session::{Abort, LiveForkRequest, LiveForks, MadeWorkspace, Session};
use serde::{Deserialize, Serialize};

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<Restore>(),
    Entry::of::<Branch>(),
    Entry::of::<ForkLive>(),
    Entry::of::<StartFresh>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of_operation::<Restore>(),
    ToolEntry::of_operation::<Branch>(),
    ToolEntry::of_operation::<ForkLive>(),
];

pub(crate) struct Restore;

/// A workspace to make, by `restore` or `branch`: `kind` says which.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateWorkspace {
    /// The snapshot whose files it gets.
    pub from: SnapshotSelector,
    /// Whether to go back or to try something. The two differ in the name and
    /// in the event log.
    pub kind: RestoreKind,
    /// Also reach snapshots of other sessions.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Make it the active workspace.
    #[serde(default)]
    pub switch: bool,
}

/// Makes a workspace, and activates it if the caller asked for that. The switch is persisted before
/// the call answers.
pub(crate) async fn make(
    session: &Session,
    kind: RestoreKind,
    asked: MakeArgs,
    switches: bool,
    abort: &Abort,
) -> Result<MadeWorkspace> {
    let MakeArgs { r#ref, allow_cross_session, switch } = asked;
    let made = session.make_workspace(kind, &r#ref, allow_cross_session, abort).await?;
    if !switch.unwrap_or(switches) {
        return Ok(made);
    }
    match session.switch(&made.r#ref).await {
        Ok(_active) => Ok(made),
        Err(error) => Err(session.unswitched(&made, error)),
    }
}

impl OperationKind for Restore {
    type Input = MakeArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        recorded: true,
        names_subject: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/workspaces",
            "createWorkspace",
            "Make a workspace from a snapshot",
            |asked| {
                let CreateWorkspace { from, kind, allow_cross_session, switch } = asked.body()?;
                let made = MakeArgs { r#ref: from, allow_cross_session, switch: Some(switch) };
                Ok(match kind {
                    RestoreKind::Restored => Operation::of::<Restore>(made),
                    RestoreKind::Branch => Operation::of::<Branch>(made),
                })
            },
        )
        .describe("The active workspace stays as it is, and stays active unless `switch` is true. If the call fails, nothing has changed.")
        .takes::<CreateWorkspace>()
        .example(r#"{"from":"works","kind":"branch"}"#)
        .answers::<MadeWorkspace>()
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
    .recorded()],
        ..Descriptor::new("restore", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<MakeArgs>()
            .at(&["ref"])
            .cancellable()
            .resolves(Resolves::Field("ref"))
            .describe(
                "Makes a new workspace from a snapshot of this session, or from one that another \
             session published. The active workspace stays as it is, and stays active unless \
             `switch` is true.",
            ),
    );

    fn log(input: &MakeArgs, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: MakeArgs) -> Result<Reply> {
        answer(&make(call.session, RestoreKind::Restored, input, false, call.abort).await?)
    }
}

impl ToolKind for Restore {
    type Input = MakeArgs;
    type Output = MadeWorkspace;

    const TOOL: Tool = Tool {
        name: "workspace_restore",
        title: "Restore a snapshot beside this workspace",
        module: Module::Snapshot,
        core: true,
        scope: Scope::Snapshot,
        description: "Make a new workspace with exactly the files of a snapshot and continue in \
                      it, unless switch is false: every later workspace tool acts on it. The \
                      current workspace keeps its files and processes; workspace_switch returns to \
                      it. Choose it to look at an earlier state; to undo work, choose \
                      workspace_rewind, which needs no second container. Next: check the files.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: MakeArgs) -> Result<MadeWorkspace> {
        make(call.session, RestoreKind::Restored, input, true, call.abort).await
    }
}

/// Make a workspace from a snapshot, for trying something.
pub(crate) struct Branch;

impl OperationKind for Branch {
    type Input = MakeArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        recorded: true,
        names_subject: true,
        ..Descriptor::new("branch", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<MakeArgs>()
            .at(&["ref"])
            .cancellable()
            .answers::<NamedWorkspace>()
            .resolves(Resolves::Field("ref"))
            .describe("Makes a new workspace as `restore` does, and records it as an experiment."),
    );

    fn log(input: &MakeArgs, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: MakeArgs) -> Result<Reply> {
        answer(&make(call.session, RestoreKind::Branch, input, false, call.abort).await?)
    }
}

impl ToolKind for Branch {
    type Input = MakeArgs;
    type Output = MadeWorkspace;

    const TOOL: Tool = Tool {
        name: "workspace_branch",
        title: "Branch from a snapshot",
        module: Module::Snapshot,
        core: true,
        scope: Scope::Snapshot,
        description: "Make a new workspace from a snapshot for an experiment, and continue in it; \
                      otherwise like workspace_restore. For several attempts from the current \
                      files, use workspace_fork. Call it once per attempt and compare; \
                      workspace_switch to the best, workspace_destroy the others. Other workspaces \
                      do not change.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: MakeArgs) -> Result<MadeWorkspace> {
        make(call.session, RestoreKind::Branch, input, true, call.abort).await
    }
}

/// Make workspaces from the active one's present files.
pub(crate) struct ForkLive;

/// Arguments of `fork`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LiveForkArgs {
    /// How many workspaces, default 1. The session's `maxWorkspaces` and `maxRunning` apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = limits::LIVE_FORKS_MAX)))]
    pub count: Option<u32>,
    /// Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    /// is the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub expected_active: Option<WorkspaceRef>,
}

impl OperationKind for ForkLive {
    type Input = LiveForkArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        takes_snapshot: true,
        recorded: true,
        names_subject: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/forks",
            "forkWorkspace",
            "Make workspaces with the active one's current files",
            |asked| {
                let mut args: LiveForkArgs = asked.body()?;
                args.expected_active = asked.if_match()?.or(args.expected_active);
                Ok(Operation::of::<ForkLive>(args))
            },
        )
        .describe(
            "The active workspace is saved first if it has changed. It stays active and is not touched. Each new \
             workspace has its own result or error.",
        )
        .takes::<LiveForkArgs>()
        .example(r#"{"count":3}"#)
        .answers::<LiveForks>()
        .errors(WORKS)
        .recorded()
        .guarded()],
        ..Descriptor::new("fork", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> = Some(Method::takes::<LiveForkArgs>().cancellable().describe(
        "Makes workspaces with the files that the active one has now, and records them as \
             experiments. The active workspace is saved first if it has changed. It stays active \
             and is not touched. Each workspace has its own result; the call rejects only if none \
             could be begun, with `QUOTA_EXCEEDED` or an error of the save.",
    ));

    async fn run(call: Call<'_>, input: LiveForkArgs) -> Result<Reply> {
        let LiveForkArgs { count, expected_active } = input;
        let request = LiveForkRequest { count, expected_active };
        answer(&call.session.live_fork(&request, call.abort).await?)
    }
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveForkInput {
    /// How many workspaces.
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::LIVE_FORKS_MAX), extend("default" = 1)))]
    pub count: Option<u32>,
}

impl ToolKind for ForkLive {
    type Input = LiveForkInput;
    type Output = LiveForks;

    const TOOL: Tool = Tool {
        name: "workspace_fork",
        title: "Fork the workspace",
        module: Module::Snapshot,
        core: true,
        scope: Scope::Snapshot,
        description: "Make new workspaces with the active workspace's current files. Use it to try \
                      several approaches; no snapshot is needed first. The active workspace stays \
                      active and unchanged; in other tools, name a new one as workspace or at. \
                      Processes are not copied. Each of `workspaces` has the ref of a new \
                      workspace, or an error. To start from an earlier state, use \
                      workspace_branch.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: LiveForkInput) -> Result<LiveForks> {
        let request = LiveForkRequest { count: input.count, expected_active: None };
        call.session.live_fork(&request, call.abort).await
    }
}

/// Give a sleeping workspace an empty container instead of its files.
pub(crate) struct StartFresh;

impl OperationKind for StartFresh {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/start-fresh",
            "startFresh",
            "Give a sleeping workspace an empty container instead of its files",
            |_| Ok(Operation::of::<StartFresh>(NoArgs {})),
        )
        .without_view(OF_THE_PROGRAM)
        .answers::<NamedWorkspace>()
        .errors(ENTERS)],
        ..Descriptor::new("startFresh", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<NoArgs>().resolves(Resolves::Field("ref")).describe(
            "Gives the active workspace, whose container has stopped, a new and empty one instead \
             of waking or resuming it. A workspace that runs, but has lost its directory, gets an \
             empty one in its container. `CONFLICT` while a container still has its files.",
        ));

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&NamedWorkspace { r#ref: call.session.start_fresh().await? })
    }
}
