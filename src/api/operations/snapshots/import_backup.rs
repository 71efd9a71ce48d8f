//! Make a snapshot of an archive in the bucket.

use crate::api::operation::{
    Call, Descriptor, LogFields, Method, Operation, OperationKind, Reply, Route, Verb, WORKS,
    answer, text,
};
use crate::domain::{ArchiveFormat, BackupId, Error, Needs, Result, Scope};
use crate::session::{ImportRequest, ImportSource, SnapshotView, StoredArchive};
use serde::{Deserialize, Serialize};

pub(crate) struct ImportBackup;

describing! {
    /// Arguments of `importBackup`.
    pub struct ImportBackupArgs {
        /// Id of a backup of Sandbox SDK 1.0. Either this or `key`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub id: Option<BackupId>,
        /// Key of an archive in the session's bucket.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::ARCHIVE_KEY_MAX_BYTES)))]
        pub key: Option<String>,
        /// Must be true: the object is not the session's. Each such call is recorded.
        pub allow_cross_session: bool,
        /// Type of the archive. Its first bytes tell how it is compressed.
        #[serde(skip_serializing_if = "ArchiveFormat::is_default")]
        pub format: ArchiveFormat,
        /// SHA-256 of the object, 64 lowercase hex digits: `sha256` of the SDK's record. If it
        /// differs: `INTEGRITY`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub sha256: Option<String>,
    }
}

impl OperationKind for ImportBackup {
    type Input = ImportBackupArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        takes_snapshot: true,
        recorded: true,
        names_subject: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/imports/backup",
            "importBackup",
            "Make a snapshot of an archive in the bucket",
            |asked| Ok(Operation::of::<ImportBackup>(asked.body()?)),
        )
        .describe(
            "Takes a backup of Sandbox SDK 1.0 by its id, or any archive that importSnapshot accepts by its key. Needs \
            allowCrossSession, which the session's policy must allow.",
        )
        .takes::<ImportBackupArgs>()
        .answers::<SnapshotView>()
        .example(r#"{"id":"6f1c9c1e-6c0e-4d63-9f0c-0a4f3a2b1c0d","allowCrossSession":true,"name":"from-sdk"}"#)
        .creates(|made| text(made, "/snapshot/id").map(|id| format!("/snapshots/{id}")))
        .errors(WORKS)
        .recorded()],
        ..Descriptor::new("importBackup", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<ImportBackupArgs>().cancellable().describe(
            "Makes a snapshot of an archive in the session's bucket: a backup of Sandbox SDK 1.0 \
             by its id, or any archive that `importSnapshot` accepts, by its key. Needs \
             `allowCrossSession`: the object is not the session's.",
        ));

    fn log(input: &ImportBackupArgs, fields: &mut LogFields) {
        if let Some(id) = &input.id {
            fields.note("backup", id);
        }
    }

    async fn run(call: Call<'_>, mut input: ImportBackupArgs) -> Result<Reply> {
        let snapshot = input.take_described();
        let at = match (input.id, input.key) {
            (Some(id), None) => StoredArchive::Backup(id),
            (None, Some(key)) => StoredArchive::Key(key),
            _ => return Err(Error::invalid("id", "or key must be given, and not both")),
        };
        let source = ImportSource::Stored { at, allow_cross_session: input.allow_cross_session };
        let request = ImportRequest { snapshot, format: input.format, sha256: input.sha256 };
        answer(&call.session.import_snapshot(request, source, call.abort).await?)
    }
}
