//! Session tokens, and tickets that stand for them.

use crate::api::operation::absence::OF_THE_PROGRAM;
use crate::api::operation::{
    Call, Descriptor, Entry, NoArgs, Operation, OperationKind, Reply, Route, Verb, answer, text,
};
use crate::domain::{ErrorCode, Needs, Result, Scope, TokenId};
use crate::session::{
    CreatedTicket, CreatedToken, Revoked, TicketRequest, TokenList, TokenRequest,
};
use serde::{Deserialize, Serialize};

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<CreateToken>(),
    Entry::of::<ListTokens>(),
    Entry::of::<RevokeToken>(),
    Entry::of::<CreateTicket>(),
];

/// Make a session token.
pub(crate) struct CreateToken;

impl OperationKind for CreateToken {
    type Input = TokenRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        recorded: true,
        names_subject: true,
        secret: Some("token"),
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/tokens",
            "createToken",
            "Make a session token; its text is returned only once",
            |asked| Ok(Operation::of::<CreateToken>(asked.body()?)),
        )
        .without_view(OF_THE_PROGRAM)
        .describe(
            "A repetition with the same Idempotency-Key returns the text again while the token is valid.",
        )
        .takes::<TokenRequest>()
        .answers::<CreatedToken>()
        .creates(|made| text(made, "/id").map(|id| format!("/tokens/{id}")))
        .errors(&[ErrorCode::Conflict, ErrorCode::QuotaExceeded])
        .keyed()],
        ..Descriptor::new("createToken", Needs::Trust)
    };

    async fn run(call: Call<'_>, input: TokenRequest) -> Result<Reply> {
        answer(&call.session.create_token(input)?)
    }
}

/// List the session tokens.
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
        .without_view(OF_THE_PROGRAM)
        .describe("Lists all of them: a session has at most 100.")
        .answers::<TokenList>()],
        ..Descriptor::new("listTokens", Needs::Trust)
    };

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&call.session.list_tokens()?)
    }
}

/// End a session token.
pub(crate) struct RevokeToken;

/// Arguments of `revokeToken`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TokenTarget {
    /// The token to revoke.
    pub token_id: TokenId,
}

impl OperationKind for RevokeToken {
    type Input = TokenTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        stops: true,
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}/tokens/{token}",
            "revokeToken",
            "Revoke a session token at once; repeating it succeeds",
            |asked| {
                let token_id = asked.path_id("token")?;
                Ok(Operation::of::<RevokeToken>(TokenTarget { token_id }))
            },
        )
        .without_view(OF_THE_PROGRAM)
        .answers::<Revoked>()],
        ..Descriptor::new("revokeToken", Needs::Trust)
    };

    async fn run(call: Call<'_>, input: TokenTarget) -> Result<Reply> {
        answer(&call.session.revoke_token(&input.token_id)?)
    }
}

/// Make a ticket for a WebSocket.
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
        .without_command("for pages, which can't send Authorization for a WebSocket. `snapshotter shell` sends it")
        .without_view("the client makes one for each terminal that the console opens")
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
