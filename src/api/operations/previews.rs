//! Previews: links to servers in a workspace's container.

use crate::api::operation::{
    Call, Descriptor, Entry, LogFields, Method, NoArgs, Operation, OperationKind, Reply, Route,
    Verb, answer, text,
};
use crate::domain::{ErrorCode, Needs, PreviewId, Result, Scope};
use crate::session::{OpenPortRequest, PreviewList, Revoked, ShareRequest, SharedPreview};
use serde::{Deserialize, Serialize};

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<SharePreview>(),
    Entry::of::<ListPreviews>(),
    Entry::of::<RevokePreview>(),
    Entry::of::<OpenPort>(),
];

/// Find the container of a port, so that the Worker can send a request there.
pub(crate) struct OpenPort;

impl OperationKind for OpenPort {
    type Input = OpenPortRequest;

    const DESCRIPTOR: Descriptor = Descriptor::new("openPort", Needs::Port);

    fn log(input: &OpenPortRequest, fields: &mut LogFields) {
        fields.note("port", input.port);
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: OpenPortRequest) -> Result<Reply> {
        answer(&call.session.open_port(call.caller, input).await?)
    }
}

/// Share a preview: make a link to a server in a container.
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

/// List the previews.
pub(crate) struct ListPreviews;

impl OperationKind for ListPreviews {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/previews",
            "listPreviews",
            "List the valid previews, newest first, without their links",
            |_| Ok(Operation::of::<ListPreviews>(NoArgs {})),
        )
        .describe("Lists all of them: a session has at most 100.")
        .answers::<PreviewList>()],
        ..Descriptor::new("listPreviews", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<NoArgs>().describe("Lists the valid previews, without their links."));

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&call.session.list_previews()?)
    }
}

/// End a preview.
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
