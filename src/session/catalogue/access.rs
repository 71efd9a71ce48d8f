//! Tokens and previews of the session: one without a row is invalid.

use crate::domain::json::render;
use crate::domain::{PreviewId, Result, SandboxId, Scopes, TokenId};
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

fn read_token(mut row: Row) -> Result<TokenRow> {
    Ok(TokenRow {
        id: column(&mut row, "id")?,
        scopes: json_column(&mut row, "scopes")?,
        description: column(&mut row, "description")?,
        created_at_ms: column(&mut row, "created_at_ms")?,
        expires_at_ms: column(&mut row, "expires_at_ms")?,
    })
}

const TOKENS: &str = "SELECT id, scopes, description, created_at_ms, expires_at_ms FROM tokens";

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
        Ok(self.tokens(&format!("{TOKENS} WHERE id = ?"), &[id.as_str().into()])?.pop())
    }

    /// Every token that is valid at `now_ms`, newest first.
    pub fn good_tokens(&self, now_ms: i64) -> Result<Vec<TokenRow>> {
        let sql = format!("{TOKENS} WHERE expires_at_ms > ? ORDER BY created_at_ms DESC, id");
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
        self.database.exec(sql, params)?.into_iter().map(read_token).collect()
    }
}

/// A stored preview, without its link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewRow {
    /// The id by which it is revoked.
    pub id: PreviewId,
    /// The port in the container.
    pub port: u16,
    /// The sandbox whose server it shows.
    pub sandbox_id: SandboxId,
    /// The session token of its maker, if the maker had one. The preview ends with it.
    pub token_id: Option<TokenId>,
    /// When it was made, in milliseconds since the epoch.
    pub created_at_ms: i64,
    /// When it expires, in milliseconds since the epoch.
    pub expires_at_ms: i64,
}

fn read_preview(mut row: Row) -> Result<PreviewRow> {
    Ok(PreviewRow {
        id: column(&mut row, "id")?,
        port: column(&mut row, "port")?,
        sandbox_id: column(&mut row, "sandbox_id")?,
        token_id: column(&mut row, "token_id")?,
        created_at_ms: column(&mut row, "created_at_ms")?,
        expires_at_ms: column(&mut row, "expires_at_ms")?,
    })
}

const PREVIEWS: &str =
    "SELECT id, port, sandbox_id, token_id, created_at_ms, expires_at_ms FROM previews";

impl Catalogue {
    /// Stores a preview.
    pub fn put_preview(&self, preview: &PreviewRow) -> Result<()> {
        let row = vec![
            ("id", preview.id.as_str().into()),
            ("port", i64::from(preview.port).into()),
            ("sandbox_id", preview.sandbox_id.as_str().into()),
            ("token_id", preview.token_id.as_ref().map(|id| id.as_str().to_owned()).into()),
            ("created_at_ms", preview.created_at_ms.into()),
            ("expires_at_ms", preview.expires_at_ms.into()),
        ];
        insert(self.database.as_ref(), "previews", row)
    }

    /// A preview, unless it was revoked.
    pub fn preview(&self, id: &PreviewId) -> Result<Option<PreviewRow>> {
        Ok(self.previews(&format!("{PREVIEWS} WHERE id = ?"), &[id.as_str().into()])?.pop())
    }

    /// Every preview that is valid at `now_ms`, newest first.
    pub fn good_previews(&self, now_ms: i64) -> Result<Vec<PreviewRow>> {
        let sql = format!("{PREVIEWS} WHERE expires_at_ms > ? ORDER BY created_at_ms DESC, id");
        self.previews(&sql, &[now_ms.into()])
    }

    /// Forgets a preview, which revokes it.
    pub fn remove_preview(&self, id: &PreviewId) -> Result<()> {
        self.database.exec("DELETE FROM previews WHERE id = ?", &[id.as_str().into()]).map(drop)
    }

    /// Forgets the previews that the holder of a token made.
    pub fn remove_previews_of(&self, token: &TokenId) -> Result<()> {
        let sql = "DELETE FROM previews WHERE token_id = ?";
        self.database.exec(sql, &[token.as_str().into()]).map(drop)
    }

    /// Forgets expired previews.
    pub fn remove_expired_previews(&self, now_ms: i64) -> Result<()> {
        let sql = "DELETE FROM previews WHERE expires_at_ms <= ?";
        self.database.exec(sql, &[now_ms.into()]).map(drop)
    }

    fn previews(&self, sql: &str, params: &[SqlValue]) -> Result<Vec<PreviewRow>> {
        self.database.exec(sql, params)?.into_iter().map(read_preview).collect()
    }
}
