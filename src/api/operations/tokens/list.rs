//! List the session tokens.

use crate::api::operation::descriptor::{Call, Descriptor, Operation, OperationKind, answer};
use crate::api::operation::inputs::NoArgs;
use crate::api::operation::route::{Route, Verb};
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::session::scope::Needs;
use crate::session::TokenList;

pub(crate) struct ListTokens;

impl OperationKind for ListTokens {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/tokens",
            "listTokens",
            "List the valid session tokens, newest first",
            |_| Ok(Operation::of::<ListTokens>(NoArgs {})),
        )
        .describe("Lists all of them: a session has at most 100.")
        .answers::<TokenList>()],
        ..Descriptor::new("listTokens", Needs::Trust)
    };

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&call.session.list_tokens()?)
    }
}
