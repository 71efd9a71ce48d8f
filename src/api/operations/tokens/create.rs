//! Make a session token.

use crate::api::operation::{
    Call, Descriptor, Operation, OperationKind, Reply, Route, Verb, answer, text,
};
use crate::domain::{ErrorCode, Needs, Result};
use crate::session::{CreatedToken, TokenRequest};

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
