//! Export a snapshot as a backup of Sandbox SDK 1.0.

use crate::api::operation::{
    CROSS, Call, Descriptor, LogFields, Method, Operation, OperationKind, Reply, Route,
    SnapshotTarget, Verb, WORKS, answer,
};
use crate::domain::snapshot::archive::SdkBackupRecord;
use crate::domain::{Needs, Result, Scope, SnapshotSelector};

pub(crate) struct ExportBackup;

impl OperationKind for ExportBackup {
    type Input = SnapshotTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        takes_snapshot: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/snapshots/{snapshot}/backup",
            "exportBackup",
            "Store a snapshot as a backup of Sandbox SDK 1.0; repeating it succeeds",
            |asked| {
                Ok(Operation::of::<ExportBackup>(SnapshotTarget {
                    r#ref: SnapshotSelector::parse(asked.path("snapshot")?)?,
                    allow_cross_session: asked.flag("allowCrossSession")?,
                }))
            },
        )
        .describe(
            "Puts the archive of exportSnapshot into the session's bucket, and returns the record \
            by which the SDK restores it. No session owns the object, so this needs \
            allowCrossSession. At most 4 GiB.",
        )
        .query(&[CROSS])
        .answers::<SdkBackupRecord>()
        .errors(WORKS)
        .cancellable()],
        ..Descriptor::new("exportBackup", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<SnapshotTarget>().at(&["ref"]).cancellable().describe(
            "Stores the archive of `exportSnapshot` in the session's bucket, as a backup of Sandbox \
             SDK 1.0, and returns the record that its `DirectoryBackup.restore` takes, with size \
             and SHA-256. The SDK's prefix must be that of the variable `SDK_BACKUPS_PREFIX`. \
             Needs `allowCrossSession`: the object is not the session's. At most 4 GiB. Repeating \
             it stores the same object.",
        ));

    fn log(input: &SnapshotTarget, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: SnapshotTarget) -> Result<Reply> {
        let SnapshotTarget { r#ref, allow_cross_session } = input;
        answer(&call.session.export_backup(&r#ref, allow_cross_session, call.abort).await?)
    }
}
