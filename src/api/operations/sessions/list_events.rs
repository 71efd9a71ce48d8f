//! Read the event log.

use crate::api::operation::{
    CURSOR, Call, Descriptor, LIMIT, Method, Operation, OperationKind, PageArgs, Reply, Route,
    Verb, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::session::EventPage;

pub(crate) struct ListEvents;

impl OperationKind for ListEvents {
    type Input = PageArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/events",
            "listEvents",
            "Read the event log, newest first",
            |asked| Ok(Operation::of::<ListEvents>(asked.query()?)),
        )
        .query(&[LIMIT, CURSOR])
        .answers::<EventPage>()],
        ..Descriptor::new("listEvents", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<PageArgs>().describe("Lists the session's events, newest first."));

    async fn run(call: Call<'_>, input: PageArgs) -> Result<Reply> {
        answer(&call.session.list_events(input.limit, input.cursor.as_deref())?)
    }
}
