//! Show how much the session stores.

use crate::api::operation::{
    Call, Descriptor, Method, NoArgs, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::domain::{Needs, Result, Scope, SessionUsage};

pub(crate) struct ShowUsage;

impl OperationKind for ShowUsage {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/usage",
            "getUsage",
            "Show the count and size of the session's snapshots",
            |_| Ok(Operation::of::<ShowUsage>(NoArgs {})),
        )
        .answers::<SessionUsage>()],
        ..Descriptor::new("usage", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<NoArgs>()
            .describe("Returns what the session keeps: counts and bytes, from the catalogue."),
    );

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&call.session.usage()?)
    }
}
