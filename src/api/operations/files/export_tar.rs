//! A directory as a tar archive.

use crate::api::operation::{
    Call, DIRECTORY, Descriptor, ENTERS, LogFields, Method, Operation, OperationKind, Reply,
    Resolves, Route, TAR, Verb, WORKSPACE,
};
use crate::domain::{Needs, Result, Scope};
use crate::session::ArchiveRequest;

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
