//! Make a snapshot of an archive that the caller sends.

use crate::api::operation::absence::UPKEEP;
use crate::api::operation::{
    CROSS, Call, Descriptor, Entry, LogFields, Method, Operation, OperationKind, Param, ParamKind,
    Reply, Resolves, Route, SnapshotTarget, TAR, Verb, WORKS, answer, flag, text,
};
use crate::domain::snapshot::archive::SdkBackupRecord;
use crate::domain::{
    ArchiveFormat, BackupId, Error, Needs, Result, Scope, SnapshotSelector, limits,
};
use crate::session::{ImportRequest, ImportSource, SnapshotView, StoredArchive};
use serde::{Deserialize, Serialize};

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<ImportSnapshot>(),
    Entry::of::<ImportBackup>(),
    Entry::of::<ExportSnapshot>(),
    Entry::of::<ExportBackup>(),
];

pub(crate) struct ImportSnapshot;

describing! {
    /// Arguments of `importSnapshot`.
    pub struct ImportArgs {
        /// Type of the archive. Its first bytes tell how it is compressed.
        #[serde(skip_serializing_if = "ArchiveFormat::is_default")]
        pub format: ArchiveFormat,
        /// SHA-256 of the archive as it is sent, 64 lowercase hex digits. If it differs:
        /// `INTEGRITY`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub sha256: Option<String>,
    }
}

/// The most bytes of a text of this many characters: a character has at most 4 bytes.
const fn bytes(chars: usize) -> usize {
    4 * chars
}

const QUERY: &[Param] = &[
    Param {
        name: "name",
        kind: ParamKind::Text { max: bytes(limits::SNAPSHOT_NAME_MAX_CHARS) },
        description: "Name within the session.",
    },
    Param {
        name: "description",
        kind: ParamKind::Text { max: bytes(limits::SNAPSHOT_DESCRIPTION_MAX_CHARS) },
        description: "Description.",
    },
    Param {
        name: "ttlSeconds",
        kind: ParamKind::Count { min: limits::TTL_MIN_SECS, max: limits::TTL_MAX_SECS },
        description: "Time to live.",
    },
    flag("replace", "Take the name from a snapshot that has it."),
    Param {
        name: "format",
        kind: ParamKind::Choice(ArchiveFormat::NAMES),
        description: "Type of the archive. Default: tar. Its first bytes tell how it is compressed.",
    },
    Param {
        name: "sha256",
        kind: ParamKind::Text { max: 64 },
        description: "SHA-256 of the body, 64 lowercase hex digits. If it differs: INTEGRITY.",
    },
];

impl OperationKind for ImportSnapshot {
    type Input = ImportArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        takes_snapshot: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/imports",
            "importSnapshot",
            "Make a snapshot of an archive's files",
            |asked| Ok(Operation::of::<ImportSnapshot>(asked.query()?)),
        )
        .describe(
            "The body is a tar archive, plain or compressed with gzip or zstd, or a layer of an \
            OCI image. All or nothing: a refused or broken archive makes no snapshot. A separate \
            container, in which no command ever ran, does the work; no workspace wakes.",
        )
        .query(QUERY)
        .receives(TAR)
        .answers::<SnapshotView>()
        .creates(|made| text(made, "/snapshot/id").map(|id| format!("/snapshots/{id}")))
        .errors(WORKS)
        .cancellable()],
        ..Descriptor::new("importSnapshot", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<ImportArgs>().receives().cancellable().describe(
            "Makes a snapshot of the files of an archive: tar, plain or compressed with gzip or zstd, \
             or a layer of an OCI image (`format: \"oci-layer\"`), whose whiteouts are left out. \
             Resolves once R2 holds the snapshot. A separate container, in which no command ever \
             ran, does the work; no workspace wakes.\n\n\
             Owners, modes, links, times in seconds and extended attributes `user.…` are kept; \
             setuid and setgid bits and other attributes are not: `dropped` counts the entries \
             that had them. The archive is refused as a whole, with the entry named, as \
             `importTar` refuses it. At most 16 GiB as it arrives, uncompressed and in files, and \
             500,000 entries. Counts as a snapshot for `limits.snapshots`.",
        ),
    );

    async fn run(mut call: Call<'_>, mut input: ImportArgs) -> Result<Reply> {
        let source = ImportSource::Sent(call.stream("the archive")?);
        let snapshot = input.take_described();
        let request = ImportRequest { snapshot, format: input.format, sha256: input.sha256 };
        answer(&call.session.import_snapshot(request, source, call.abort).await?)
    }
}

/// Make a snapshot of an archive in the bucket.
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

/// Export a snapshot's files as one archive.
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

/// Export a snapshot as a backup of Sandbox SDK 1.0.
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
        .without_view(UPKEEP)
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
