//! Store a part of a tar archive that is too large for one request.

use crate::api::operation::{
    Asked, Call, Descriptor, ENTERS, LogFields, Operation, OperationKind, Reply, Route, Verb,
    WORKSPACE, answer,
};
use crate::domain::{Error, Needs, PartNumber, Result, Scope, WorkspaceRef};
use crate::ports::sandbox::UploadPart;
use crate::session::{Placed, StoredPart};
use serde::{Deserialize, Serialize};

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
