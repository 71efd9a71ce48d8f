//! List recorded calls.

use crate::api::operation::{
    CURSOR, Call, Descriptor, LIMIT, Method, Operation, OperationKind, PageArgs, Reply, Route,
    Verb, answer,
};
use crate::domain::{Needs, RecordedCall, Result, Scope};
use crate::session::OperationPage;

pub(crate) struct ListOperations;

impl OperationKind for ListOperations {
    type Input = PageArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/operations",
            "listOperations",
            "List recorded calls, newest first, without their results",
            |asked| Ok(Operation::of::<ListOperations>(asked.query()?)),
        )
        .describe(
            "Calls of the last 24 hours with an Idempotency-Key, and the newest 1,000 of those with Prefer: respond-async alone. If the caller lacks the scopes of a call, only the call's name and state are shown.",
        )
        .query(&[LIMIT, CURSOR])
        .answers::<OperationPage>()],
        ..Descriptor::new("listOperations", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<PageArgs>()
            .describe("Lists recorded calls, newest first, without their results."),
    );

    async fn run(call: Call<'_>, input: PageArgs) -> Result<Reply> {
        let may_see = |recorded: &RecordedCall| {
            recorded.rights().is_ok_and(|rights| call.caller.check_rights(&rights).is_ok())
        };
        answer(&call.session.list_operations(input.limit, input.cursor.as_deref(), may_see)?)
    }
}
