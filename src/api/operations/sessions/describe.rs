//! Show the session.

use crate::api::operation::{
    Call, Descriptor, Method, NoArgs, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::session::SessionView;

pub(crate) struct Describe;

impl OperationKind for Describe {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}",
            "describeSession",
            "Show the session",
            |_| Ok(Operation::of::<Describe>(NoArgs {})),
        )
        .answers::<SessionView>()],
        ..Descriptor::new("describe", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<NoArgs>().describe(
        "Returns the session as it was opened, even after it was closed. `NOT_FOUND` before \
             the first `open`. Starts no container.",
    ));

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&call.session.describe()?)
    }
}
