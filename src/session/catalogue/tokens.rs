//! Valid tokens of the session: a token without a row is invalid.

use crate::domain::error::{Error, Result};
use crate::domain::ids::TokenId;
use crate::domain::json::parse_stored;
use crate::domain::session::scope::Scopes;
use crate::ports::database::{SqlValue, query};
use crate::session::catalogue::Catalogue;
use serde::Deserialize;

/// A stored token, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// To revoke it by.
    pub id: TokenId,
    /// What it allows.
    pub scopes: Scopes,
    /// What it is for.
    pub description: Option<String>,
    /// Milliseconds since the epoch.
    pub created_at_ms: i64,
    /// Milliseconds since the epoch.
    pub expires_at_ms: i64,
}

#[derive(Deserialize)]
struct StoredToken {
    id: TokenId,
    scopes: String,
    description: Option<String>,
    created_at_ms: i64,
    expires_at_ms: i64,
}

const COLUMNS: &str = "SELECT id, scopes, description, created_at_ms, expires_at_ms FROM tokens";

impl Catalogue {
    /// Stores a token.
    pub fn put_token(&self, token: &TokenRow) -> Result<()> {
        let scopes = serde_json::to_string(&token.scopes)
            .map_err(|error| Error::internal(format!("scopes: {error}")))?;
        self.database.exec(
            "INSERT INTO tokens (id, scopes, description, created_at_ms, expires_at_ms)
             VALUES (?, ?, ?, ?, ?)",
            &[
                token.id.as_str().into(),
                scopes.into(),
                token.description.clone().into(),
                token.created_at_ms.into(),
                token.expires_at_ms.into(),
            ],
        )?;
        Ok(())
    }

    /// A token, unless it was revoked.
    pub fn token(&self, id: &TokenId) -> Result<Option<TokenRow>> {
        Ok(self.tokens(&format!("{COLUMNS} WHERE id = ?"), &[id.as_str().into()])?.pop())
    }

    /// Every token that is valid at `now_ms`, newest first.
    pub fn good_tokens(&self, now_ms: i64) -> Result<Vec<TokenRow>> {
        let sql = format!("{COLUMNS} WHERE expires_at_ms > ? ORDER BY created_at_ms DESC, id");
        self.tokens(&sql, &[now_ms.into()])
    }

    /// Forgets a token, which revokes it.
    pub fn remove_token(&self, id: &TokenId) -> Result<()> {
        self.database.exec("DELETE FROM tokens WHERE id = ?", &[id.as_str().into()]).map(drop)
    }

    /// Forgets expired tokens.
    pub fn remove_expired_tokens(&self, now_ms: i64) -> Result<()> {
        let sql = "DELETE FROM tokens WHERE expires_at_ms <= ?";
        self.database.exec(sql, &[now_ms.into()]).map(drop)
    }

    fn tokens(&self, sql: &str, params: &[SqlValue]) -> Result<Vec<TokenRow>> {
        let rows = query::<StoredToken>(self.database.as_ref(), sql, params)?;
        let read = |stored: StoredToken| {
            Ok(TokenRow {
                id: stored.id,
                scopes: parse_stored("scopes", &stored.scopes)?,
                description: stored.description,
                created_at_ms: stored.created_at_ms,
                expires_at_ms: stored.expires_at_ms,
            })
        };
        rows.into_iter().map(read).collect()
    }
}
