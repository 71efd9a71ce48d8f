//! Authenticates HTTP requests, before the Worker contacts any object.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::SessionId;
use crate::domain::session::scope::Caller;
use crate::domain::session::token::{Claims, TOKEN_PREFIX, TokenKeys, unauthenticated};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;

/// The secrets that authenticate requests.
#[derive(Clone, Default)]
pub struct Secrets {
    /// `API_TOKEN`, the operator's.
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
            Self::Session(_) => {
                Err(Error::new(ErrorCode::Forbidden, "the token is for another session")
                    .with_hint("use it with the session that it was made for"))
            }
        }
    }
}

/// Checks the `Authorization` header, in constant time. Without configured
/// secrets, it refuses every request. It ignores a token in a URL.
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
/// Begins the subprotocol with which a page, which can't set `Authorization`, sends its token.
pub(crate) const BEARER_SUBPROTOCOL: &str = "bearer.";

/// The `Authorization` that a WebSocket's subprotocols stand for. Neither addresses nor logs
/// have these.
#[must_use]
pub fn socket_authorization(subprotocols: &str) -> Option<String> {
    let encoded =
        subprotocols.split(',').find_map(|one| one.trim().strip_prefix(BEARER_SUBPROTOCOL))?;
    let token = String::from_utf8(URL_SAFE_NO_PAD.decode(encoded).ok()?).ok()?;
    Some(format!("Bearer {token}"))
}

/// The token of a bearer header. The scheme's name may have any case (RFC 9110,
/// section 11.1).
fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_start_matches(' '))
}
