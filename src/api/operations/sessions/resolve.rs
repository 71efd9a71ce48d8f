//! Re-attach to the session: show its active workspace.

use crate::api::operation::{
    Call, Descriptor, Method, NamedWorkspace, NoArgs, Operation, OperationKind, Reply, Resolves,
    Route, Verb, answer,
};
use crate::domain::{ErrorCode, Needs, Result, Scope};

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
