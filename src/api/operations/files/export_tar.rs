//! A directory as a tar archive.

use crate::api::http::param::DIRECTORY;
use crate::api::http::route::{ENTERS, TAR};
use crate::api::http::{Route, Verb};
use crate::api::operation::descriptor::{Call, Descriptor, Operation, OperationKind};
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::session::scope::{Needs, Scope};
use crate::session::ArchiveRequest;

pub(crate) struct ExportTar;

impl OperationKind for ExportTar {
    type Input = ArchiveRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/archive",
            "exportArchive",
            "The tree below a directory as a tar archive",
            |asked| Ok(Operation::of::<ExportTar>(asked.query()?)),
        )
        .describe(
            "Files, directories and symbolic links, which are not followed. What can't be finished breaks off: the body then \
            ends without its last chunk.",
        )
        .query(&[DIRECTORY])
        .streams(TAR)
        .errors(ENTERS)],
        ..Descriptor::new("exportTar", Needs::Scope(Scope::Read))
    };

    async fn run(call: Call<'_>, input: ArchiveRequest) -> Result<Reply> {
        Ok(Reply::Stream(call.session.export_tar(input).await?))
    }
}
