//! Give a sleeping workspace an empty container instead of its files.

use crate::api::operation::{
    Call, Descriptor, ENTERS, Method, NamedWorkspace, NoArgs, Operation, OperationKind, Reply,
    Resolves, Route, Verb, answer,
};
use crate::domain::{Needs, Result, Scope};

pub(crate) struct StartFresh;

impl OperationKind for StartFresh {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/start-fresh",
            "startFresh",
            "Give a sleeping workspace an empty container instead of its files",
            |_| Ok(Operation::of::<StartFresh>(NoArgs {})),
        )
        .answers::<NamedWorkspace>()
        .errors(ENTERS)],
        ..Descriptor::new("startFresh", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<NoArgs>().resolves(Resolves::Field("ref")).describe(
            "Gives the active workspace, whose container has stopped, a new and empty one instead \
             of waking or resuming it. A workspace that runs, but has lost its directory, gets an \
             empty one in its container. `CONFLICT` while a container still has its files.",
        ));

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&NamedWorkspace { r#ref: call.session.start_fresh().await? })
    }
}
