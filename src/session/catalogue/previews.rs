//! Valid previews of the session: a link whose preview has no row is invalid.

use crate::domain::{PreviewId, Result, SandboxId, TokenId};
use crate::ports::database::{column, insert};
use crate::ports::{Row, SqlValue};
use crate::session::catalogue::Catalogue;

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

fn read(mut row: Row) -> Result<PreviewRow> {
    Ok(PreviewRow {
        id: column(&mut row, "id")?,
        port: column(&mut row, "port")?,
        sandbox_id: column(&mut row, "sandbox_id")?,
        token_id: column(&mut row, "token_id")?,
        created_at_ms: column(&mut row, "created_at_ms")?,
        expires_at_ms: column(&mut row, "expires_at_ms")?,
    })
}

const COLUMNS: &str =
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
        Ok(self.previews(&format!("{COLUMNS} WHERE id = ?"), &[id.as_str().into()])?.pop())
    }

    /// Every preview that is valid at `now_ms`, newest first.
    pub fn good_previews(&self, now_ms: i64) -> Result<Vec<PreviewRow>> {
        let sql = format!("{COLUMNS} WHERE expires_at_ms > ? ORDER BY created_at_ms DESC, id");
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
        self.database.exec(sql, params)?.into_iter().map(read).collect()
    }
}
