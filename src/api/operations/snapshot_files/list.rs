//! List files of a snapshot.

use crate::api::operation::{
    CROSS, CURSOR, Call, Descriptor, LogFields, Method, Operation, OperationKind, Param, ParamKind,
    REACHES, Reply, Route, Verb, answer, flag,
};
use crate::api::operations::snapshot_files::asked::{PATH, asked_of};
use crate::domain::limits::{LIST_FILES_MAX_ENTRIES, PATTERN_MAX_BYTES};
use crate::domain::{Needs, Result, Scope};
use crate::session::{ListSnapshotFiles, ListedFiles};

pub(crate) struct ListFiles;

const GLOB: Param = Param {
    name: "glob",
    kind: ParamKind::Text { max: PATTERN_MAX_BYTES },
    description: "Only paths that match, e.g. *.py or src/*.ts.",
};

const ENTRIES: Param = Param {
    name: "limit",
    kind: ParamKind::Count { min: 1, max: LIST_FILES_MAX_ENTRIES as u64 },
    description: "Maximum entries per page. Default: 1000.",
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
        .answers::<ListedFiles>()
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
