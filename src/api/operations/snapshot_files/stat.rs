//! Show what a path in a snapshot is.

use crate::api::operation::{
    CROSS, Call, Descriptor, LogFields, Method, Operation, OperationKind, REACHES, Reply, Route,
    Verb, answer,
};
use crate::api::operations::snapshot_files::asked::{PATH, asked_of};
use crate::domain::{Needs, Result, Scope};
use crate::session::{SnapshotPath, StatView};

pub(crate) struct StatFile;

impl OperationKind for StatFile {
    type Input = SnapshotPath;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/snapshots/{snapshot}/files/stat",
            "statSnapshotFile",
            "Look at a path of a snapshot",
            |asked| Ok(Operation::of::<StatFile>(asked_of(asked)?)),
        )
        .describe("Does not follow a symbolic link. Starts no container.")
        .query(&[PATH, CROSS])
        .answers::<StatView>()
        .errors(REACHES)],
        ..Descriptor::new("statFile", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<SnapshotPath>()
            .at(&["ref", "path"])
            .describe("Looks at a path of a snapshot, without following a symbolic link."),
    );

    fn log(input: &SnapshotPath, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: SnapshotPath) -> Result<Reply> {
        answer(&call.session.stat_snapshot_file(input).await?)
    }
}
