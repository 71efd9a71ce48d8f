//! Authenticates HTTP requests, before the Worker contacts any object.

use crate::domain::session::ticket::{TicketClaims, no_ticket};
use crate::domain::session::token::{Claims, TOKEN_PREFIX, TokenKeys, unauthenticated};
use crate::domain::{Caller, Error, ErrorCode, Result, SessionId};
use subtle::ConstantTimeEq;

/// The secrets that authenticate requests.
#[derive(Clone, Default)]
pub struct Secrets {
    /// `API_TOKEN`, the operator's token.
    pub api_token: Option<String>,
    /// `TOKEN_KEYS`, which sign session tokens.
    pub token_keys: Option<String>,
}

/// The sender of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// The holder of `API_TOKEN`.
    Operator,
    /// The holder of a session token.
    Session(Claims),
}

impl Identity {
    /// Refuses everyone but the operator.
    ///
    /// # Errors
    /// `FORBIDDEN`.
    pub fn operator(self) -> Result<()> {
        match self {
            Self::Operator => Ok(()),
            Self::Session(_) => {
                Err(Error::new(ErrorCode::Forbidden, "only the operator can do this")
                    .with_hint("no session token allows it; ask the operator"))
            }
        }
    }

    /// Returns the sender as a caller in a session.
    ///
    /// # Errors
    /// `FORBIDDEN` for another session's token, whether or not this session exists.
    pub fn in_session(self, session: &SessionId) -> Result<Caller> {
        match self {
            Self::Operator => Ok(Caller::Operator),
            Self::Session(Claims { session: own, id, scopes, .. }) if own == *session => {
                Ok(Caller::Token { id, scopes })
            }
            Self::Session(_) => Err(of_another_session()),
        }
    }
}

/// The error for the token or ticket of another session.
#[must_use]
pub fn of_another_session() -> Error {
    Error::new(ErrorCode::Forbidden, "the token is for another session")
        .with_hint("use it with the session that it was made for")
}

/// Checks the `Authorization` header, in constant time. Refuses every request if no secrets are
/// configured. Ignores a token in a URL.
///
/// # Errors
/// `NOT_CONFIGURED`, `UNAUTHENTICATED`.
pub fn authenticate(header: Option<&str>, secrets: &Secrets, now_ms: i64) -> Result<Identity> {
    let presented = header.and_then(bearer).unwrap_or_default();
    if presented.starts_with(TOKEN_PREFIX) {
        let keys = secrets.token_keys.as_deref().map(TokenKeys::parse).transpose()?;
        let claims = keys.and_then(|keys| keys.verify(presented, now_ms));
        return claims.map(Identity::Session).ok_or_else(unauthenticated);
    }
    let Some(api_token) = secrets.api_token.as_deref().filter(|token| !token.is_empty()) else {
        return Err(Error::new(ErrorCode::NotConfigured, "the secret API_TOKEN is not set")
            .with_hint("set it with: wrangler secret put API_TOKEN"));
    };
    if bool::from(presented.as_bytes().ct_eq(api_token.as_bytes())) {
        return Ok(Identity::Operator);
    }
    Err(unauthenticated())
}

/// The subprotocol of our WebSockets.
pub const SUBPROTOCOL: &str = "snapshotter";
/// The prefix of the subprotocol that carries a ticket. Pages use it, because they can't set
/// `Authorization`.
const TICKET_SUBPROTOCOL: &str = "ticket.";
/// The prefix of the subprotocol that carried a token in earlier versions. Such a token is refused,
/// because logs show subprotocols.
const BEARER_SUBPROTOCOL: &str = "bearer.";

/// Whether a subprotocol is one of ours. Servers in containers never get ours.
pub(crate) fn is_own_subprotocol(one: &str) -> bool {
    one == SUBPROTOCOL
        || [TICKET_SUBPROTOCOL, BEARER_SUBPROTOCOL].iter().any(|prefix| one.starts_with(prefix))
}

/// The ticket in a WebSocket's subprotocols, if its signature and expiry are valid.
///
/// # Errors
/// `UNAUTHENTICATED` for a token instead of a ticket, and for an invalid ticket; `NOT_CONFIGURED`.
pub fn socket_ticket(
    subprotocols: &str,
    secrets: &Secrets,
    now_ms: i64,
) -> Result<Option<TicketClaims>> {
    let of = |prefix: &str| subprotocols.split(',').find_map(|one| one.trim().strip_prefix(prefix));
    if of(BEARER_SUBPROTOCOL).is_some() {
        return Err(Error::new(
            ErrorCode::Unauthenticated,
            "a token is not accepted as a subprotocol, because logs show those",
        )
        .with_hint(
            "make a ticket with POST /v1/sessions/{session}/tickets and offer it as ticket.TICKET; replace the token, \
             because logs may have it",
        ));
    }
    let Some(ticket) = of(TICKET_SUBPROTOCOL) else { return Ok(None) };
    let keys = TokenKeys::of_tickets(secrets.token_keys.as_deref(), secrets.api_token.as_deref())?;
    keys.verify(ticket, now_ms).map(Some).ok_or_else(no_ticket)
}

/// The token of a bearer header. The scheme's name may have any case (RFC 9110,
/// section 11.1).
fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_start_matches(' '))
}
