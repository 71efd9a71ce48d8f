//! Read the event log.

use crate::api::operation::descriptor::{Call, Descriptor, Operation, OperationKind, answer};
use crate::api::operation::inputs::PageArgs;
use crate::api::operation::method::Method;
use crate::api::operation::param::{CURSOR, LIMIT};
use crate::api::operation::route::{Route, Verb};
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::session::scope::{Needs, Scope};
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
