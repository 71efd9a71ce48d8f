//! Create, list, check and revoke the session's tokens.

use crate::domain::limits::{
    TOKEN_DESCRIPTION_MAX_CHARS, TOKEN_TTL_DEFAULT_SECS, TOKEN_TTL_MAX_SECS, TOKENS_MAX,
};
use crate::domain::session::token::{Claims, TokenKeys, no_keys, unauthenticated};
use crate::domain::time::rfc3339;
use crate::domain::{Caller, Error, ErrorCode, Event, Result, Scopes, TokenId};
use crate::ports::random::random_bytes;
use crate::session::Session;
use crate::session::catalogue::TokenRow;
use crate::session::parts::Context;
use crate::session::parts::tickets::{CreatedTicket, TicketRequest, UsedTicket};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A token to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct TokenRequest {
    /// What it allows: one scope at least.
    #[cfg_attr(schemas, schemars(length(min = 1)))]
    pub scopes: Scopes,
    /// How long it is good, in seconds. Default one day, at most 90.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = TOKEN_TTL_MAX_SECS)))]
    pub ttl_seconds: Option<u64>,
    /// What it is for; shown in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(max = TOKEN_DESCRIPTION_MAX_CHARS), regex(pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")))]
    pub description: Option<String>,
}

/// A token as it is shown: never with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct TokenView {
    /// Id to revoke it by. Not secret.
    pub id: TokenId,
    /// What it allows.
    pub scopes: Scopes,
    /// What it is for.
    pub description: Option<String>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub expires_at: String,
}

impl From<TokenRow> for TokenView {
    fn from(row: TokenRow) -> Self {
        Self {
            id: row.id,
            scopes: row.scopes,
            description: row.description,
            created_at: rfc3339(row.created_at_ms),
            expires_at: rfc3339(row.expires_at_ms),
        }
    }
}

/// A fresh token.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct CreatedToken {
    /// The bearer token. It is returned only here, and stored nowhere.
    pub token: String,
    /// The token, without its secret.
    #[serde(flatten)]
    pub view: TokenView,
}

/// Tokens of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct TokenList {
    /// All valid tokens, newest first.
    pub tokens: Vec<TokenView>,
}

/// The answer to a revocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Revoked {
    /// Always true: revoking what is gone succeeds.
    pub revoked: bool,
}

parts!(Tokens { context: Context });

impl Session {
    /// Makes a token of this session.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` without `TOKEN_KEYS`; `INVALID_ARGUMENT`; `QUOTA_EXCEEDED`.
    pub fn create_token(&self, request: TokenRequest) -> Result<CreatedToken> {
        let parts = Tokens::from(self);
        let keys = parts.token_keys()?;
        parts.context.require_open()?;
        let now_ms = parts.context.now_ms();
        let token = TokenRow {
            id: TokenId::from_random(random_bytes(parts.context.ports.random.as_ref())?),
            expires_at_ms: now_ms + checked(&request)?,
            created_at_ms: now_ms,
            scopes: request.scopes,
            description: request.description,
        };
        parts.context.catalogue.remove_expired_tokens(now_ms)?;
        if parts.context.catalogue.good_tokens(now_ms)?.len() >= TOKENS_MAX {
            return Err(Error::new(
                ErrorCode::QuotaExceeded,
                format!("the session already has {TOKENS_MAX} tokens, the maximum"),
            )
            .with_hint("revoke one that is no longer needed")
            .with_details(json!({ "limit": "tokens" })));
        }
        let text = keys.sign(&parts.claims_of(&token))?;
        // No await since the count: the row and the event are stored together.
        parts.context.catalogue.put_token(&token)?;
        let event =
            Event::TokenCreated { token_id: token.id.clone(), scopes: token.scopes.clone() };
        parts.context.catalogue.add_event(now_ms, &event)?;
        Ok(CreatedToken { token: text, view: token.into() })
    }

    /// Repeats the answer of [`Self::create_token`]. A token is its row, signed: no text is stored.
    ///
    /// # Errors
    /// `NOT_FOUND` once it was revoked or has expired; `NOT_CONFIGURED`.
    pub fn created_token(&self, id: &TokenId) -> Result<CreatedToken> {
        let tokens = Tokens::from(self);
        let keys = tokens.token_keys()?;
        let token = tokens
            .context
            .catalogue
            .token(id)?
            .filter(|row| row.expires_at_ms > tokens.context.now_ms());
        let token = token.ok_or_else(|| {
            Error::new(
                ErrorCode::NotFound,
                format!("the token {id} that this call made was revoked or has expired"),
            )
            .with_hint("make another, under a new key")
        })?;
        Ok(CreatedToken { token: keys.sign(&tokens.claims_of(&token))?, view: token.into() })
    }

    /// Lists the valid tokens.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open.
    pub fn list_tokens(&self) -> Result<TokenList> {
        let parts = Tokens::from(self);
        parts.context.load()?;
        let tokens = parts.context.catalogue.good_tokens(parts.context.now_ms())?;
        Ok(TokenList { tokens: tokens.into_iter().map(TokenView::from).collect() })
    }

    /// Ends a token: the next call with it is refused. Repeating it succeeds.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open.
    pub fn revoke_token(&self, id: &TokenId) -> Result<Revoked> {
        let tokens = Tokens::from(self);
        tokens.context.load()?;
        if tokens.context.catalogue.token(id)?.is_some() {
            tokens.context.catalogue.remove_token(id)?;
            tokens.context.catalogue.remove_previews_of(id)?;
            let event = Event::TokenRevoked { token_id: id.clone() };
            tokens.context.catalogue.add_event(tokens.context.now_ms(), &event)?;
        }
        Ok(Revoked { revoked: true })
    }

    /// Refuses a revoked or expired token or preview, whose signature was checked before.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`; `NOT_FOUND` for a preview.
    pub fn authenticate(&self, caller: &Caller) -> Result<()> {
        let tokens = Tokens::from(self);
        let id = match caller {
            Caller::Token { id, .. } => id,
            Caller::Preview { id } => return tokens.context.check_preview(id).map(drop),
            Caller::Operator | Caller::Binding { .. } => return Ok(()),
        };
        match tokens.context.catalogue.token(id)? {
            Some(token) if token.expires_at_ms > tokens.context.now_ms() => Ok(()),
            _ => Err(unauthenticated()),
        }
    }
}

impl Tokens<'_> {
    fn token_keys(&self) -> Result<TokenKeys> {
        TokenKeys::parse(self.context.settings.token_keys.as_deref().ok_or_else(no_keys)?)
    }

    fn claims_of(&self, token: &TokenRow) -> Claims {
        Claims {
            session: self.context.session.clone(),
            id: token.id.clone(),
            scopes: token.scopes.clone(),
            expires_at_ms: token.expires_at_ms,
        }
    }
}

impl Session {
    /// Makes a ticket with which a page opens a WebSocket as this caller, once.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`; `QUOTA_EXCEEDED`; `NOT_CONFIGURED` without a key.
    pub fn create_ticket(&self, caller: &Caller, request: TicketRequest) -> Result<CreatedTicket> {
        self.tickets.create(caller, request)
    }

    /// Uses up a ticket, and returns its caller.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`.
    pub fn use_ticket(&self, used: &UsedTicket) -> Result<Caller> {
        self.tickets.use_for_path(used)
    }
}

/// Returns the token's lifetime in milliseconds.
fn checked(request: &TokenRequest) -> Result<i64> {
    if request.scopes.is_empty() {
        return Err(Error::invalid("scopes", "name one at least: read, write, snapshot, admin"));
    }
    if let Some(text) = &request.description
        && (text.chars().count() > TOKEN_DESCRIPTION_MAX_CHARS
            || text.chars().any(char::is_control))
    {
        return Err(Error::invalid(
            "description",
            format!(
                "must be at most {TOKEN_DESCRIPTION_MAX_CHARS} characters, none of them control characters"
            ),
        ));
    }
    let secs = request.ttl_seconds.unwrap_or(TOKEN_TTL_DEFAULT_SECS);
    match i64::try_from(secs) {
        Ok(signed) if (1..=TOKEN_TTL_MAX_SECS).contains(&secs) => Ok(signed * 1_000),
        _ => Err(Error::invalid("ttlSeconds", format!("must be 1 to {TOKEN_TTL_MAX_SECS}"))),
    }
}
