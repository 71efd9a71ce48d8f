//! Put the files of a tar archive into a directory.

use crate::api::http::param::DIRECTORY;
use crate::api::http::route::{ENTERS, TAR};
use crate::api::http::{Route, Verb};
use crate::api::operation::descriptor::{Call, Descriptor, Operation, OperationKind, answer};
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::session::scope::{Needs, Scope};
use crate::ports::sandbox::ImportedTar;
use crate::session::ArchiveRequest;

pub(crate) struct ImportTar;

impl OperationKind for ImportTar {
    type Input = ArchiveRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Put,
            "/v1/sessions/{session}/archive",
            "importArchive",
            "Put the files of a tar archive into a directory",
            |asked| Ok(Operation::of::<ImportTar>(asked.query()?)),
        )
        .describe(
            "All or none: an archive that is refused or broken changes nothing. Files replace those of their name, directories \
            are merged.",
        )
        .query(&[DIRECTORY])
        .receives(TAR)
        .answers::<ImportedTar>()
        .errors(ENTERS)],
        ..Descriptor::new("importTar", Needs::Scope(Scope::Write))
    };

    async fn run(mut call: Call<'_>, input: ArchiveRequest) -> Result<Reply> {
        let archive = call.stream("the archive")?;
        answer(&call.session.import_tar(input, archive).await?)
    }
}
