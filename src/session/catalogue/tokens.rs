//! Valid tokens of the session: a token without a row is invalid.

use crate::domain::json::render;
use crate::domain::{Result, Scopes, TokenId};
use crate::ports::database::{column, insert, json_column};
use crate::ports::{Row, SqlValue};
use crate::session::catalogue::Catalogue;

/// A stored token, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// The id by which it is revoked.
    pub id: TokenId,
    /// The scopes that it grants.
    pub scopes: Scopes,
    /// What it is for.
    pub description: Option<String>,
    /// When it was made, in milliseconds since the epoch.
    pub created_at_ms: i64,
    /// When it expires, in milliseconds since the epoch.
    pub expires_at_ms: i64,
}

fn read(mut row: Row) -> Result<TokenRow> {
    Ok(TokenRow {
        id: column(&mut row, "id")?,
        scopes: json_column(&mut row, "scopes")?,
        description: column(&mut row, "description")?,
        created_at_ms: column(&mut row, "created_at_ms")?,
        expires_at_ms: column(&mut row, "expires_at_ms")?,
    })
}

const COLUMNS: &str = "SELECT id, scopes, description, created_at_ms, expires_at_ms FROM tokens";

impl Catalogue {
    /// Stores a token.
    pub fn put_token(&self, token: &TokenRow) -> Result<()> {
        let row = vec![
            ("id", token.id.as_str().into()),
            ("scopes", render(&token.scopes)?.to_string().into()),
            ("description", token.description.clone().into()),
            ("created_at_ms", token.created_at_ms.into()),
            ("expires_at_ms", token.expires_at_ms.into()),
        ];
        insert(self.database.as_ref(), "tokens", row)
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
        self.database.exec(sql, params)?.into_iter().map(read).collect()
    }
}
