//! Store a part of a tar archive that is too large for one request.

use crate::api::http::route::ENTERS;
use crate::api::http::{Asked, Route, Verb};
use crate::api::operation::descriptor::{Call, Descriptor, Operation, OperationKind, answer};
use crate::api::reply::Reply;
use crate::domain::error::{Error, Result};
use crate::domain::ids::PartNumber;
use crate::domain::session::scope::{Needs, Scope};
use crate::ports::sandbox::UploadPart;
use crate::session::StoredPart;

pub(crate) struct StorePart;

impl OperationKind for StorePart {
    type Input = UploadPart;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Put,
            "/v1/sessions/{session}/archive/uploads/{upload}/{part}",
            "storePart",
            "Store a part of an archive that is too large for one request",
            |asked| Ok(Operation::of::<StorePart>(upload_part(asked)?)),
        )
        .describe(
            "The caller names the upload. Parts are numbered from 1 and come in any order; sending one again replaces \
            it. Needs Content-Length.",
        )
        .receives("application/octet-stream")
        .answers::<StoredPart>()
        .errors(ENTERS)],
        ..Descriptor::new("storePart", Needs::Scope(Scope::Write))
    };

    async fn run(mut call: Call<'_>, input: UploadPart) -> Result<Reply> {
        let content = call.stream("the part")?;
        answer(&call.session.store_part(input, content).await?)
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
