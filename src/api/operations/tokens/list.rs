//! List the session tokens.

use crate::api::operation::{
    Call, Descriptor, NoArgs, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::domain::{Needs, Result};
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
