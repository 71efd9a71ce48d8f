//! Look at what a path of a snapshot is.

use crate::api::http::param::CROSS;
use crate::api::http::route::REACHES;
use crate::api::http::{Route, Verb};
use crate::api::operation::descriptor::{
    Call, Descriptor, LogFields, Operation, OperationKind, answer,
};
use crate::api::operation::method::Method;
use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::api::operations::snapshot_files::{PATH, asked_of};
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::session::scope::{Needs, Scope};
use crate::session::{SnapshotPath, StatView};

pub(crate) struct StatFile;

impl OperationKind for StatFile {
    type Input = SnapshotPath;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/snapshots/{snapshot}/files/stat",
            "statSnapshotFile",
            "Look at what a path of a snapshot is",
            |asked| Ok(Operation::of::<StatFile>(asked_of(asked)?)),
        )
        .describe("Looks at a symbolic link itself. Starts no container.")
        .query(&[PATH, CROSS])
        .answers::<StatView>()
        .errors(REACHES)],
        ..Descriptor::new("statFile", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<SnapshotPath>()
            .at(&["ref", "path"])
            .describe("Looks at what a path of a snapshot is, at a symbolic link itself."),
    );

    fn log(input: &SnapshotPath, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: SnapshotPath) -> Result<Reply> {
        answer(&call.session.stat_snapshot_file(input).await?)
    }
}

impl ToolKind for StatFile {
    type Input = SnapshotPath;
    type Output = StatView;

    const TOOL: Tool = Tool {
        name: "workspace_snapshot_stat",
        title: "Look at a file of a snapshot",
        module: Module::Snapshot,
        scope: Scope::Read,
        description: "Show type, size, time, mode and owner of one path of a snapshot, without restoring it. A \
                      symbolic link is shown itself, with its target.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: SnapshotPath) -> Result<StatView> {
        call.session.stat_snapshot_file(input).await
    }
}
