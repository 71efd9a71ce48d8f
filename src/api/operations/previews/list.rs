//! List the previews.

use crate::api::operation::{
    Call, Descriptor, Method, NoArgs, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::session::PreviewList;

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
