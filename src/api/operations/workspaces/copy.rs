//! Copy files of one workspace into another.

use crate::api::operation::{
    Call, Descriptor, LogFields, Method, Module, Operation, OperationKind, Reply, Route, Tool,
    ToolCall, ToolKind, Verb, WORKS, answer,
};
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Needs, Result, Scope, WorkspaceRef};
use crate::ports::sandbox::ImportedTar;
use crate::session::files::root_path;
use crate::session::{CopyPaths, Placed};
use serde::{Deserialize, Serialize};

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
    /// Directory to put them into, under their paths. Default: the root.
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
        description: "Copy files or directories of another workspace into the current one, under \
                      their paths, all or none: e.g. those of the best attempt. Files of the same \
                      name are replaced; everything else stays.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: CopyFromWorkspace) -> Result<Placed<ImportedTar>> {
        input.run(call.session).await
    }
}
