//! End a preview.

use crate::api::operation::{
    Call, Descriptor, Method, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::domain::{Needs, PreviewId, Result, Scope};
use crate::session::Revoked;
use serde::{Deserialize, Serialize};

pub(crate) struct RevokePreview;

/// Arguments of `revokePreview`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct PreviewTarget {
    /// The preview to revoke.
    pub preview: PreviewId,
}

impl OperationKind for RevokePreview {
    type Input = PreviewTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        stops: true,
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}/previews/{preview}",
            "revokePreview",
            "Revoke a preview's link at once; repeating it succeeds",
            |asked| {
                let preview = asked.path_id("preview")?;
                Ok(Operation::of::<RevokePreview>(PreviewTarget { preview }))
            },
        )
        .describe("An open WebSocket ends within half a minute.")
        .answers::<Revoked>()],
        ..Descriptor::new("revokePreview", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<PreviewTarget>().at(&["preview"]).describe("Revokes a preview's link."),
    );

    async fn run(call: Call<'_>, input: PreviewTarget) -> Result<Reply> {
        answer(&call.session.revoke_preview(&input.preview)?)
    }
}
