//! Make a snapshot of an archive that the caller sends.

use crate::api::operation::{
    Call, Descriptor, Method, Operation, OperationKind, Param, ParamKind, Reply, Route, TAR, Verb,
    WORKS, answer, flag, text,
};
use crate::domain::{ArchiveFormat, Needs, Result, Scope, limits};
use crate::session::{ImportRequest, ImportSource, SnapshotView};
use serde::{Deserialize, Serialize};

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
