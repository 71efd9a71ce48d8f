//! Tickets: each is valid once, for half a minute, and for one call. A page can't set headers for a
//! WebSocket, and logs show its subprotocols, so it sends a ticket instead of a token. A preview's
//! link is exchanged for a [`Code`], so that the preview's own host never sees the link. The Worker
//! checks signatures, so strangers wake no object. The session's object remembers unused tickets.

use crate::domain::limits::TICKET_PATH_MAX_BYTES;
use crate::domain::session::preview::PreviewClaims;
use crate::domain::session::token::Signed;
use crate::domain::{Error, ErrorCode, Result, SessionId, TicketId};
use serde::{Deserialize, Serialize};

/// A ticket's content. The session's object stores the caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TicketClaims {
    /// The only session that accepts the ticket.
    #[serde(rename = "s")]
    pub session: SessionId,
    /// Makes the ticket usable only once.
    #[serde(rename = "i")]
    pub id: TicketId,
    /// Expiry time, in milliseconds since the epoch.
    #[serde(rename = "e")]
    pub expires_at_ms: i64,
}

impl Signed for TicketClaims {
    const PREFIX: &str = "stk1.";

    fn expires_at_ms(&self) -> i64 {
        self.expires_at_ms
    }
}

/// Replaces a preview's link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Code {
    /// Makes the code usable only once.
    #[serde(rename = "i")]
    pub id: TicketId,
    /// The link's content.
    #[serde(rename = "l")]
    pub link: PreviewClaims,
    /// Expiry time, in milliseconds since the epoch.
    #[serde(rename = "e")]
    pub expires_at_ms: i64,
}

impl Signed for Code {
    const PREFIX: &str = "spc1.";

    fn expires_at_ms(&self) -> i64 {
        self.expires_at_ms
    }
}

/// Checks the path of a WebSocket, relative to its session.
///
/// # Errors
/// `INVALID_ARGUMENT`.
pub fn check_ticket_path(path: &str) -> Result<()> {
    let is_socket = path == "/terminal"
        || path.starts_with("/ports/")
        || path.starts_with("/workspaces/") && path.contains("/ports/");
    let is_path = path.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#".contains(&byte));
    if is_socket && is_path && path.len() <= TICKET_PATH_MAX_BYTES {
        return Ok(());
    }
    Err(Error::invalid(
        "path",
        format!(
            "must be the path of a WebSocket below its session, without a query: /terminal, or a server's as \
             /ports/8000/ws, of at most {TICKET_PATH_MAX_BYTES} bytes"
        ),
    ))
}

/// The error for a ticket or code that was used, has expired, or is for another call.
#[must_use]
pub fn no_ticket() -> Error {
    Error::new(
        ErrorCode::Unauthenticated,
        "the ticket is not valid: it can be used once, for one call, within half a minute",
    )
    .with_hint("make another; a preview's link can be opened again")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::token::{Claims, TokenKeys};
    use proptest::prelude::*;

    const ID: &str = "0w3ge1r70w3ge1r70w3ge1r70w";

    #[test]
    fn a_ticket_is_no_token_and_a_code_no_link() {
        let keys = TokenKeys::parse("k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=").unwrap();
        let (session, id) = (SessionId::parse("sess").unwrap(), TicketId::parse(ID).unwrap());
        let claims = TicketClaims { session: session.clone(), id: id.clone(), expires_at_ms: 10 };
        let ticket = keys.sign(&claims).unwrap();
        assert_eq!(keys.verify(&ticket, 9), Some(claims));
        assert_eq!(keys.verify::<TicketClaims>(&ticket, 10), None);
        assert_eq!(keys.verify::<Claims>(&ticket.replace("stk1.", "sst1."), 9), None);
        let link = PreviewClaims {
            session,
            preview: crate::domain::ids::PreviewId::parse(ID).unwrap(),
            expires_at_ms: 1_000,
            frame_ancestors: Vec::new(),
        };
        let code = Code { id, link: link.clone(), expires_at_ms: 10 };
        let signed = keys.sign(&code).unwrap();
        assert_eq!(keys.verify(&signed, 9), Some(code));
        assert_eq!(keys.verify::<Code>(&signed, 10), None, "the link is good for longer");
        assert_eq!(keys.verify::<PreviewClaims>(&signed.replace("spc1.", "spv1."), 9), None);
        let link = keys.sign(&link).unwrap();
        assert_eq!(keys.verify::<Code>(&link.replace("spv1.", "spc1."), 9), None);
    }

    #[test]
    fn a_ticket_is_for_a_websocket() {
        for path in ["/terminal", "/ports/80", "/ports/80/a%20b/c", "/workspaces/w/ports/80/"] {
            assert_eq!(check_ticket_path(path), Ok(()), "{path}");
        }
        let long = format!("/ports/80/{}", "x".repeat(TICKET_PATH_MAX_BYTES));
        for path in [
            "",
            "terminal",
            "/terminal?cols=1",
            "/terminal/",
            "/tokens",
            "/workspaces/w",
            "/ports/8 0",
            &long,
        ] {
            assert!(check_ticket_path(path).is_err(), "{path}");
        }
    }

    proptest! {
        #[test]
        fn any_path_is_checked_without_a_panic(path in "\\PC{0,80}") {
            let _ = check_ticket_path(&path);
        }
    }
}
