//! Put the files of a tar archive into a directory.

use crate::api::operation::absence::MOVES_DIRECTORIES;
use crate::api::operation::{
    Asked, Call, DIRECTORY, Descriptor, ENTERS, Entry, LogFields, Method, Operation, OperationKind,
    Reply, Resolves, Route, TAR, Verb, WORKSPACE, answer,
};
use crate::domain::{Error, Needs, PartNumber, Result, Scope, UploadId, WorkspaceRef};
use crate::ports::sandbox::{ImportedTar, UploadPart};
use crate::session::{AbortedUpload, ArchiveRequest, FinishUpload, Placed, StoredPart};
use serde::{Deserialize, Serialize};

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<ExportTar>(),
    Entry::of::<ImportTar>(),
    Entry::of::<StorePart>(),
    Entry::of::<Finish>(),
    Entry::of::<AbortUpload>(),
];

pub(crate) struct ImportTar;

impl OperationKind for ImportTar {
    type Input = ArchiveRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Put,
            "/v1/sessions/{session}/archive",
            "importArchive",
            "Import a tar archive into a directory",
            |asked| Ok(Operation::of::<ImportTar>(asked.query()?)),
        )
        .without_view(MOVES_DIRECTORIES)
        .describe(
            "All or nothing: a refused or broken archive changes nothing. Files replace files of the same name; \
            directories are merged.",
        )
        .query(&[DIRECTORY, WORKSPACE])
        .receives(TAR)
        .answers::<Placed<ImportedTar>>()
        .errors(ENTERS)],
        ..Descriptor::new("importTar", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> = Some(Method::takes::<ArchiveRequest>().receives().describe(
        "Extracts an uncompressed tar archive into a directory of a workspace, which \
             is made if it does not exist. Each file replaces the one of its name at once; \
             directories are merged. Files belong to root and keep their modes, without setuid, \
             setgid and sticky bits, and their attributes `user.*`; `dropped` counts the entries \
             that lost something. At most 4 GiB, 500,000 entries, and 4 GiB in files.\n\n\
             The archive is refused as a whole, with the entry named and nothing changed, for: \
             names that are absolute or contain `..`, hard links to files outside the archive, \
             entries behind a symbolic link in the archive or the workspace, entries other than \
             files, directories and links, and an archive that is broken or cut off. `CONFLICT` \
             if a directory and something else have the same name.",
    ));

    fn log(input: &ArchiveRequest, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(mut call: Call<'_>, input: ArchiveRequest) -> Result<Reply> {
        let archive = call.stream("the archive")?;
        answer(&call.session.import_tar(input, archive).await?)
    }
}

/// A directory as a tar archive.
pub(crate) struct ExportTar;

impl OperationKind for ExportTar {
    type Input = ArchiveRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/archive",
            "exportArchive",
            "Export a directory as a tar archive",
            |asked| Ok(Operation::of::<ExportTar>(asked.query()?)),
        )
        .without_view(MOVES_DIRECTORIES)
        .describe(
            "Contains files, directories and symbolic links, which are not followed. If the export fails midway, the \
            body ends without its last chunk.",
        )
        .query(&[DIRECTORY, WORKSPACE])
        .streams(TAR)
        .errors(ENTERS)],
        ..Descriptor::new("exportTar", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<ArchiveRequest>().resolves(Resolves::Stream).describe(
            "Returns a directory of a workspace as a tar archive in GNU format: files, \
             directories and symbolic links, which are not followed. A stream that ends is whole; \
             if the archive can't be finished, the stream fails. A file that changes meanwhile may \
             have content of any moment; a file that shrinks fails the stream. The container does \
             not stop while the stream is read.",
        ));

    fn log(input: &ArchiveRequest, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: ArchiveRequest) -> Result<Reply> {
        Ok(Reply::Stream(call.session.export_tar(input).await?))
    }
}

/// Store a part of a tar archive that is too large for one request.
pub(crate) struct StorePart;

/// A part, and where to store it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StorePartArgs {
    /// The part's upload and number.
    pub part: UploadPart,
    /// The workspace that the archive is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceRef>,
}

impl OperationKind for StorePart {
    type Input = StorePartArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Put,
            "/v1/sessions/{session}/archive/uploads/{upload}/{part}",
            "storePart",
            "Store a part of an archive that is too large for one request",
            |asked| {
                let (part, workspace) = (upload_part(asked)?, asked.workspace()?);
                Ok(Operation::of::<StorePart>(StorePartArgs { part, workspace }))
            },
        )
        .without_view(MOVES_DIRECTORIES)
        .describe(
            "The caller names the upload. Parts are numbered from 1 and come in any order; sending one again replaces \
            it. Needs Content-Length.",
        )
        .query(&[WORKSPACE])
        .receives("application/octet-stream")
        .answers::<Placed<StoredPart>>()
        .errors(ENTERS)],
        ..Descriptor::new("storePart", Needs::Scope(Scope::Write))
    };

    fn log(input: &StorePartArgs, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(mut call: Call<'_>, input: StorePartArgs) -> Result<Reply> {
        let content = call.stream("the part")?;
        let StorePartArgs { part, workspace } = input;
        answer(&call.session.store_part(workspace.as_ref(), part, content).await?)
    }
}

fn upload_part(asked: &Asked<'_>) -> Result<UploadPart> {
    // Only the length distinguishes a whole part from a truncated one.
    let length = (asked.header)("content-length");
    let size_bytes = length.and_then(|length| length.trim().parse().ok()).ok_or_else(|| {
        Error::invalid("Content-Length", "is missing: the size of the part in bytes")
    })?;
    let part = PartNumber::parse(asked.path("part")?)?;
    Ok(UploadPart { upload: asked.path_id("upload")?, part, size_bytes })
}

/// Put the files of a stored archive into a directory.
pub(crate) struct Finish;

/// An upload and its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FinishUploadArgs {
    /// The upload to finish.
    pub upload: UploadId,
    /// The upload's archive, and the destination of its files.
    pub archive: FinishUpload,
}

impl OperationKind for Finish {
    type Input = FinishUploadArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        recorded: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/archive/uploads/{upload}",
            "finishUpload",
            "Import an archive from its stored parts",
            |asked| {
                let upload = asked.path_id("upload")?;
                Ok(Operation::of::<Finish>(FinishUploadArgs { upload, archive: asked.body()? }))
            },
        )
        .without_view(MOVES_DIRECTORIES)
        .describe(
            "Imports the joined parts as importArchive does. If parts are missing, CONFLICT names them. If it fails, the parts stay.",
        )
        .takes::<FinishUpload>()
        .example(r#"{"parts":3,"path":"data"}"#)
        .answers::<Placed<ImportedTar>>()
        .errors(ENTERS)
        .recorded()],
        ..Descriptor::new("finishUpload", Needs::Scope(Scope::Write))
    };

    fn log(input: &FinishUploadArgs, fields: &mut LogFields) {
        fields.chosen(input.archive.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: FinishUploadArgs) -> Result<Reply> {
        answer(&call.session.finish_upload(input.upload, input.archive).await?)
    }
}

/// Remove the stored parts of an archive.
pub(crate) struct AbortUpload;

/// An upload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UploadTarget {
    /// The upload to abort.
    pub upload: UploadId,
    /// The workspace that has the upload's parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceRef>,
}

impl OperationKind for AbortUpload {
    type Input = UploadTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}/archive/uploads/{upload}",
            "abortUpload",
            "Remove the parts of an upload; repeating it succeeds",
            |asked| {
                let upload = asked.path_id("upload")?;
                let workspace = asked.workspace()?;
                Ok(Operation::of::<AbortUpload>(UploadTarget { upload, workspace }))
            },
        )
        .without_view(MOVES_DIRECTORIES)
        .query(&[WORKSPACE])
        .answers::<Placed<AbortedUpload>>()
        .errors(ENTERS)],
        ..Descriptor::new("abortUpload", Needs::Scope(Scope::Write))
    };

    fn log(input: &UploadTarget, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: UploadTarget) -> Result<Reply> {
        answer(&call.session.abort_upload(input.workspace.as_ref(), input.upload).await?)
    }
}
