//! Export a snapshot's files as one archive.

use crate::api::operation::{
    CROSS, Call, Descriptor, LogFields, Method, Operation, OperationKind, Reply, Resolves, Route,
    SnapshotTarget, Verb, WORKS,
};
use crate::domain::{Needs, Result, Scope, SnapshotSelector};

pub(crate) struct ExportSnapshot;

impl OperationKind for ExportSnapshot {
    type Input = SnapshotTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/snapshots/{snapshot}/archive",
            "exportSnapshot",
            "Export a snapshot as a tar archive compressed with zstd",
            |asked| {
                Ok(Operation::of::<ExportSnapshot>(SnapshotTarget {
                    r#ref: SnapshotSelector::parse(asked.path("snapshot")?)?,
                    allow_cross_session: asked.flag("allowCrossSession")?,
                }))
            },
        )
        .describe(
            "The archive is one that Sandbox SDK 1.0 restores. Its length and SHA-256 are in \
            Content-Length, ETag and Repr-Digest. A separate container, in which no command ever \
            ran, makes it before the answer begins; no workspace wakes.",
        )
        .query(&[CROSS])
        .streams("application/zstd")
        .errors(WORKS)
        .cancellable()],
        ..Descriptor::new("exportSnapshot", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<SnapshotTarget>()
            .at(&["ref"])
            .cancellable()
            .resolves(Resolves::Stream)
            .describe(
                "Returns the files of a snapshot as a tar archive in pax format, compressed with \
                 zstd, as Sandbox SDK 1.0 keeps its backups: directories, files and links with \
                 owners, modes and times. First, a separate container, in which no command ever \
                 ran, makes the whole archive; no workspace wakes. A stream that ends is whole. \
                 Over HTTP its SHA-256 is in the headers `ETag` and `Repr-Digest`.",
            ),
    );

    fn log(input: &SnapshotTarget, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: SnapshotTarget) -> Result<Reply> {
        let SnapshotTarget { r#ref, allow_cross_session } = input;
        let file = call.session.export_snapshot(&r#ref, allow_cross_session, call.abort).await?;
        Ok(Reply::File(file))
    }
}
