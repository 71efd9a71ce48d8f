//! Make a ticket for a WebSocket.

use crate::api::operation::{
    Call, Descriptor, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::domain::{ErrorCode, Needs, Result, Scope};
use crate::session::{CreatedTicket, TicketRequest};

pub(crate) struct CreateTicket;

impl OperationKind for CreateTicket {
    type Input = TicketRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/tickets",
            "createTicket",
            "Make a ticket with which a page opens a WebSocket, once and within half a minute",
            |asked| Ok(Operation::of::<CreateTicket>(asked.body()?)),
        )
        .describe(
            "A page can't set `Authorization` for a WebSocket, and logs show its subprotocols. \
            There, a page sends a ticket instead of its token. A ticket allows what its maker may \
            do, at one path. Programs send `Authorization` instead.",
        )
        .takes::<TicketRequest>()
        .example(r#"{"path":"/terminal"}"#)
        .answers::<CreatedTicket>()
        .errors(&[ErrorCode::Conflict, ErrorCode::QuotaExceeded])],
        ..Descriptor::new("createTicket", Needs::Scope(Scope::Write))
    };

    async fn run(call: Call<'_>, input: TicketRequest) -> Result<Reply> {
        answer(&call.session.create_ticket(call.caller, input)?)
    }
}
