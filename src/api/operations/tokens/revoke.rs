//! End a session token.

use crate::api::operation::{
    Call, Descriptor, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::domain::{Needs, Result, TokenId};
use crate::session::Revoked;
use serde::{Deserialize, Serialize};

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
        .answers::<Revoked>()],
        ..Descriptor::new("revokeToken", Needs::Trust)
    };

    async fn run(call: Call<'_>, input: TokenTarget) -> Result<Reply> {
        answer(&call.session.revoke_token(&input.token_id)?)
    }
}
