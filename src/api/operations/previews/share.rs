//! Share a preview: make a link to a server in a container.

use crate::api::operation::{
    Call, Descriptor, LogFields, Method, Operation, OperationKind, Reply, Route, Verb, answer, text,
};
use crate::domain::{ErrorCode, Needs, Result, Scope};
use crate::session::{ShareRequest, SharedPreview};

pub(crate) struct SharePreview;

impl OperationKind for SharePreview {
    type Input = ShareRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/previews",
            "sharePreview",
            "Share a server of a workspace: make a link to it, returned only once",
            |asked| Ok(Operation::of::<SharePreview>(asked.body()?)),
        )
        .describe(
            "Starts no container: the first request with the link starts it. The port must be one \
            of the session's `previewPorts`, and the operator must have set `PREVIEW_HOST`. A link \
            that the holder of a session token made ends with that token.",
        )
        .takes::<ShareRequest>()
        .example(r#"{"port":5173}"#)
        .answers::<SharedPreview>()
        .creates(|made| text(made, "/id").map(|id| format!("/previews/{id}")))
        .errors(&[
            ErrorCode::Conflict,
            ErrorCode::QuotaExceeded,
            ErrorCode::WorkspaceNotOwned,
        ])],
        ..Descriptor::new("sharePreview", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> = Some(Method::takes::<ShareRequest>().describe(
        "Makes a link to a server of a workspace, for anyone who has it, until it expires or is revoked. Starts no \
        container.",
    ));

    fn log(input: &ShareRequest, fields: &mut LogFields) {
        fields.note("port", input.port);
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: ShareRequest) -> Result<Reply> {
        answer(&call.session.share_preview(call.caller, &input)?)
    }
}
