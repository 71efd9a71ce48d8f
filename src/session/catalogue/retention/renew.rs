//! Turns and requested snapshots of a session in use do not expire.

use crate::domain::Result;
use crate::domain::limits::{EXPIRY_MARGIN_MS, TTL_MAX_SECS, TTL_USED_SECS};
use crate::ports::database::values;
use crate::session::catalogue::Catalogue;

const USED_MS: i64 = TTL_USED_SECS.cast_signed() * 1_000;
/// A snapshot is renewed once less than half of its time is left, so that its `meta.json` is seldom
/// written.
const HALF_MS: i64 = USED_MS / 2;

impl Catalogue {
    /// Renewed snapshots expire 30 days after the last use of a workspace. Moves the expiry of
    /// those that have not expired, if less than half of that time is left. Returns whether any was
    /// moved: the `meta.json` of the snapshot must then be written.
    pub fn renew_used(&self, now_ms: i64) -> Result<bool> {
        let Some(until_ms) = self.used_until_ms()? else { return Ok(false) };
        let renewed: Vec<i64> = values(
            self.database.as_ref(),
            "UPDATE snapshots INDEXED BY snapshots_renewing SET unsynced_edits = unsynced_edits + 1,
                ttl_secs = MIN(?, (CAST(? AS INTEGER) - created_at_ms + 999) / 1000)
             WHERE state = 'ready' AND renews = 1 AND pinned = 0 AND trigger NOT IN ('auto', 'safety')
                AND created_at_ms + ttl_secs * 1000 < MIN(CAST(? AS INTEGER), CAST(? AS INTEGER))
                AND created_at_ms + ttl_secs * 1000 >= ?
             RETURNING seq",
            &[
                TTL_MAX_SECS.into(),
                until_ms.into(),
                (until_ms - 999).into(),
                now_ms.saturating_add(HALF_MS).into(),
                (now_ms + EXPIRY_MARGIN_MS).into(),
            ],
        )?;
        Ok(!renewed.is_empty())
    }

    /// When [`Self::renew_used`] has something to do, as far as is known now.
    pub fn renewal_due_ms(&self, now_ms: i64) -> Result<Option<i64>> {
        let Some(until_ms) = self.used_until_ms()? else { return Ok(None) };
        let first: Vec<i64> = values(
            self.database.as_ref(),
            "SELECT created_at_ms + ttl_secs * 1000 FROM snapshots INDEXED BY snapshots_renewing
             WHERE state = 'ready' AND renews = 1 AND pinned = 0 AND trigger NOT IN ('auto', 'safety')
                AND created_at_ms + ttl_secs * 1000 >= ?
             ORDER BY created_at_ms + ttl_secs * 1000 LIMIT 1",
            &[(now_ms + EXPIRY_MARGIN_MS).into()],
        )?;
        let first = first.into_iter().next().filter(|expires_ms| *expires_ms < until_ms - 999);
        Ok(first.map(|expires_ms| expires_ms.saturating_sub(HALF_MS).saturating_add(1)))
    }

    fn used_until_ms(&self) -> Result<Option<i64>> {
        let last: Vec<Option<i64>> = values(
            self.database.as_ref(),
            "SELECT MAX(last_used_at_ms) FROM workspaces INDEXED BY workspaces_live
             WHERE state <> 'destroyed'",
            &[],
        )?;
        Ok(last.into_iter().flatten().next().map(|last_ms| last_ms.saturating_add(USED_MS)))
    }
}
