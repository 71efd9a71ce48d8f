//! Make a workspace from a snapshot.

use crate::api::http::route::{WORKS, text};
use crate::api::http::{Link, Route, Verb};
use crate::api::operation::descriptor::{
    Call, Descriptor, LogFields, Operation, OperationKind, answer,
};
use crate::api::operation::method::{Method, Resolves};
use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::api::operations::inputs::SnapshotTarget;
use crate::api::operations::workspaces::branch::Branch;
use crate::api::reply::Reply;
use crate::api::tools::make_and_switch;
use crate::domain::error::Result;
use crate::domain::ids::RestoreKind;
use crate::domain::session::scope::{Needs, Scope};
use crate::domain::snapshot::selector::SnapshotSelector;
use crate::session::MadeWorkspace;
use serde::Deserialize;

pub(crate) struct Restore;

/// A workspace to make: by `restore` or `branch`, as its kind says.
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
}

impl OperationKind for Restore {
    type Input = SnapshotTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        recorded: true,
        names_subject: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/workspaces",
            "createWorkspace",
            "Make a workspace from a snapshot",
            |asked| {
                let CreateWorkspace { from, kind, allow_cross_session } = asked.body()?;
                let target = SnapshotTarget { r#ref: from, allow_cross_session };
                Ok(match kind {
                    RestoreKind::Restored => Operation::of::<Restore>(target),
                    RestoreKind::Branch => Operation::of::<Branch>(target),
                })
            },
        )
        .describe("The active workspace stays active, and is not touched. If it fails, nothing has changed.")
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
        Method::takes::<SnapshotTarget>()
            .at(&["ref"])
            .cancellable()
            .resolves(Resolves::Field("ref"))
            .describe(
                "Makes a new workspace from a snapshot of this session, or from one that another \
             session published. The active workspace stays active; `switch` and `swapRef` change \
             it.",
            ),
    );

    fn log(input: &SnapshotTarget, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: SnapshotTarget) -> Result<Reply> {
        let SnapshotTarget { r#ref, allow_cross_session } = input;
        let kind = RestoreKind::Restored;
        answer(&call.session.make_workspace(kind, &r#ref, allow_cross_session, call.abort).await?)
    }
}

impl ToolKind for Restore {
    type Input = SnapshotTarget;
    type Output = MadeWorkspace;

    const TOOL: Tool = Tool {
        name: "workspace_restore",
        title: "Restore a snapshot beside this workspace",
        module: Module::Snapshot,
        scope: Scope::Snapshot,
        description: "Make a new workspace with exactly the files of a snapshot, and continue in it: every later \
                      workspace tool acts on it. The workspace you are in now stays as it is, processes too, and \
                      workspace_switch goes back to it. Choose it to look at an earlier state; to undo work, choose \
                      workspace_rewind, which needs no second container. Next: check the files.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: SnapshotTarget) -> Result<MadeWorkspace> {
        make_and_switch(call, RestoreKind::Restored, input).await
    }
}
