//! Make a workspace from a snapshot.

use crate::api::operation::inputs::MakeArgs;
use crate::api::operation::{
    Call, Descriptor, Link, LogFields, Method, Module, Operation, OperationKind, Reply, Resolves,
    Route, Tool, ToolCall, ToolKind, Verb, WORKS, answer, text,
};
use crate::api::operations::workspaces::branch::Branch;
use crate::domain::{Needs, RestoreKind, Result, Scope, SnapshotSelector};
use crate::session::{Abort, MadeWorkspace, Session};
use serde::Deserialize;

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
        description: "Make a new workspace with exactly the files of a snapshot and continue in it, unless switch is false: every later \
                      workspace tool acts on it. The workspace you are in now stays as it is, processes too, and \
                      workspace_switch goes back to it. Choose it to look at an earlier state; to undo work, choose \
                      workspace_rewind, which needs no second container. Next: check the files.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: MakeArgs) -> Result<MadeWorkspace> {
        make(call.session, RestoreKind::Restored, input, true, call.abort).await
    }
}
