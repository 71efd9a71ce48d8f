//! Make tickets, and let each be used once.

#[cfg(schemas)]
use crate::domain::limits::TICKET_PATH_MAX_BYTES;
use crate::domain::limits::{TICKET_TTL_MS, TICKETS_MAX};
use crate::domain::session::ticket::{TicketClaims, check_ticket_path, no_ticket};
use crate::domain::session::token::TokenKeys;
use crate::domain::time::rfc3339;
use crate::domain::{Caller, Error, ErrorCode, PreviewId, Result, TicketId};
use crate::ports::random::random_bytes;
use crate::session::parts::Context;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A ticket to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TicketRequest {
    /// The WebSocket's path below the session, as it is in the address, without a query:
    /// `/terminal`, or a server's path such as `/ports/8000/ws`.
    #[cfg_attr(schemas, schemars(length(max = TICKET_PATH_MAX_BYTES)))]
    pub path: String,
}

/// A fresh ticket.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct CreatedTicket {
    /// The ticket. The WebSocket offers the subprotocols `snapshotter` and `ticket.` with this
    /// text after it.
    pub ticket: String,
    /// Half a minute from now. RFC 3339.
    pub expires_at: String,
}

/// The use of a ticket, about which the Worker asks the session's object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsedTicket {
    /// The ticket's id.
    pub id: TicketId,
    /// The path of the request that it came with, below the session.
    pub path: String,
}

enum Good {
    Path { caller: Caller, path: String },
    Preview(PreviewId),
}

struct Unused {
    good: Good,
    expires_at_ms: i64,
}

/// Unused tickets, in memory only: after a restart, their holders ask for new ones.
pub struct Tickets {
    context: Rc<Context>,
    unused: RefCell<BTreeMap<TicketId, Unused>>,
}

impl Tickets {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self { context, unused: RefCell::default() }
    }

    pub(crate) fn create(
        &self,
        caller: &Caller,
        TicketRequest { path }: TicketRequest,
    ) -> Result<CreatedTicket> {
        check_ticket_path(&path)?;
        self.context.require_open()?;
        let settings = &self.context.settings;
        let keys =
            TokenKeys::of_tickets(settings.token_keys.as_deref(), settings.api_token.as_deref())?;
        let (id, expires_at_ms) = self.add(Good::Path { caller: caller.clone(), path })?;
        let session = self.context.session.clone();
        let ticket = keys.sign(&TicketClaims { session, id, expires_at_ms })?;
        Ok(CreatedTicket { ticket, expires_at: rfc3339(expires_at_ms) })
    }

    pub(crate) fn add_code(&self, preview: &PreviewId) -> Result<TicketId> {
        self.add(Good::Preview(preview.clone())).map(|(id, _)| id)
    }

    fn add(&self, good: Good) -> Result<(TicketId, i64)> {
        let now_ms = self.context.now_ms();
        let mut unused = self.unused.borrow_mut();
        unused.retain(|_, one| one.expires_at_ms > now_ms);
        // Visitors can't use up the tickets of callers.
        let kind = std::mem::discriminant(&good);
        let count = unused.values().filter(|one| std::mem::discriminant(&one.good) == kind).count();
        if count >= TICKETS_MAX {
            return Err(Error::new(
                ErrorCode::QuotaExceeded,
                format!("the session already has {TICKETS_MAX} unused tickets, the maximum"),
            )
            .with_hint("use them, or wait half a minute until they have expired")
            .with_details(json!({ "limit": "tickets", "retryAfterMs": TICKET_TTL_MS })));
        }
        let id = TicketId::from_random(random_bytes(self.context.ports.random.as_ref())?);
        let expires_at_ms = now_ms + TICKET_TTL_MS;
        unused.insert(id.clone(), Unused { good, expires_at_ms });
        Ok((id, expires_at_ms))
    }

    pub(crate) fn use_for_path(
        &self,
        UsedTicket { id, path: asked }: &UsedTicket,
    ) -> Result<Caller> {
        match self.take(id) {
            Some(Good::Path { caller, path }) if path == *asked => Ok(caller),
            _ => Err(no_ticket()),
        }
    }

    pub(crate) fn use_code(&self, id: &TicketId, asked: &PreviewId) -> Result<()> {
        match self.take(id) {
            Some(Good::Preview(preview)) if preview == *asked => Ok(()),
            _ => Err(no_ticket()),
        }
    }

    /// Removes a ticket before any check: a ticket that comes with another call is used up, too.
    fn take(&self, id: &TicketId) -> Option<Good> {
        let taken = self.unused.borrow_mut().remove(id)?;
        (taken.expires_at_ms > self.context.now_ms()).then_some(taken.good)
    }
}
