//! Copy files of a snapshot into a workspace.

use crate::api::operation::{
    Call, Descriptor, LogFields, Method, Module, Operation, OperationKind, Reply, Route, Tool,
    ToolCall, ToolKind, Verb, WORKS, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::session::{CopiedFiles, CopyFromSnapshot, Placed};

pub(crate) struct Copy;

impl OperationKind for Copy {
    type Input = CopyFromSnapshot;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/copy",
            "copyFromSnapshot",
            "Copy files of a snapshot into a workspace",
            |asked| Ok(Operation::of::<Copy>(asked.body()?)),
        )
        .describe(
            "All or nothing. Files replace files of the same name; directories are merged. Everything else stays.",
        )
        .takes::<CopyFromSnapshot>()
        .answers::<Placed<CopiedFiles>>()
        .errors(WORKS)],
        ..Descriptor::new("copyFromSnapshot", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<CopyFromSnapshot>().at(&["ref", "paths"]).describe(
            "Copies files and directories of a snapshot into a workspace, all or none. \
             Files replace files of the same name, and directories are merged. Everything else \
             stays.",
        ));

    fn log(input: &CopyFromSnapshot, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: CopyFromSnapshot) -> Result<Reply> {
        answer(&call.session.copy_from_snapshot(input).await?)
    }
}

impl ToolKind for Copy {
    type Input = CopyFromSnapshot;
    type Output = Placed<CopiedFiles>;

    const TOOL: Tool = Tool {
        name: "workspace_copy_from_snapshot",
        title: "Copy files from a snapshot",
        module: Module::Snapshot,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "Copy files or directories of a snapshot into the active workspace, under their paths, all or \
                      none. Use it to get back just these files; workspace_rewind goes back entirely. Files of the \
                      same name are replaced; everything else stays.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: CopyFromSnapshot) -> Result<Placed<CopiedFiles>> {
        call.session.copy_from_snapshot(input).await
    }
}
