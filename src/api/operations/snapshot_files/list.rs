//! List files of a snapshot.

use crate::api::http::param::{CROSS, CURSOR, Param, ParamKind, flag};
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
use crate::domain::limits::{LIST_FILES_MAX_ENTRIES, PATTERN_MAX_BYTES};
use crate::domain::session::scope::{Needs, Scope};
use crate::session::{ListSnapshotFiles, SnapshotFilePage};

pub(crate) struct ListFiles;

const GLOB: Param = Param {
    name: "glob",
    kind: ParamKind::Text { max: PATTERN_MAX_BYTES },
    description: "Only paths that match, e.g. *.py or src/*.ts.",
};

const ENTRIES: Param = Param {
    name: "limit",
    kind: ParamKind::Count { min: 1, max: LIST_FILES_MAX_ENTRIES as u64 },
    description: "Entries of a page at most. Default: 1000.",
};

impl OperationKind for ListFiles {
    type Input = ListSnapshotFiles;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/snapshots/{snapshot}/files",
            "listSnapshotFiles",
            "List files of a snapshot",
            |asked| Ok(Operation::of::<ListFiles>(asked_of(asked)?)),
        )
        .describe("Reads the archive in the bucket. Starts no container.")
        .query(&[
            PATH,
            flag("recursive", "Also list the directories' contents."),
            GLOB,
            ENTRIES,
            CURSOR,
            CROSS,
        ])
        .answers::<SnapshotFilePage>()
        .errors(REACHES)],
        ..Descriptor::new("listFiles", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<ListSnapshotFiles>().at(&["ref"]).describe(
        "Lists a directory of a snapshot, by default its root, in the order of paths. Reads the \
         archive in the bucket, and starts no container.",
    ));

    fn log(input: &ListSnapshotFiles, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: ListSnapshotFiles) -> Result<Reply> {
        answer(&call.session.list_snapshot_files(input).await?)
    }
}

impl ToolKind for ListFiles {
    type Input = ListSnapshotFiles;
    type Output = SnapshotFilePage;

    const TOOL: Tool = Tool {
        name: "workspace_snapshot_ls",
        title: "List files of a snapshot",
        module: Module::Snapshot,
        scope: Scope::Read,
        description: "List a directory of a snapshot without restoring it. With recursive and glob, find files by \
                      name. If nextCursor is there, call again with it as cursor.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: ListSnapshotFiles) -> Result<SnapshotFilePage> {
        call.session.list_snapshot_files(input).await
    }
}
