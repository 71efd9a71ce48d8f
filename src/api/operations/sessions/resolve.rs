//! Re-attach to the session: show its active workspace.

use crate::api::operation::answers::NamedWorkspace;
use crate::api::operation::descriptor::{Call, Descriptor, Operation, OperationKind, answer};
use crate::api::operation::inputs::NoArgs;
use crate::api::operation::method::{Method, Resolves};
use crate::api::operation::route::{Route, Verb};
use crate::api::reply::Reply;
use crate::domain::error::{ErrorCode, Result};
use crate::domain::session::scope::{Needs, Scope};

pub(crate) struct Resolve;

impl OperationKind for Resolve {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/active-workspace",
            "getActiveWorkspace",
            "Show the workspace that tools act on",
            |_| Ok(Operation::of::<Resolve>(NoArgs {})),
        )
        .answers::<NamedWorkspace>()
        .errors(&[ErrorCode::Conflict])
        .tagged()],
        ..Descriptor::new("resolve", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<NoArgs>()
            .resolves(Resolves::Field("ref"))
            .describe("Returns the active workspace of an open session."),
    );

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&NamedWorkspace { r#ref: call.session.resolve()? })
    }
}
