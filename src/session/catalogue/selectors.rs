//! What selectors name without an id, and what is close to a name that does not exist.

use crate::domain::error::Result;
use crate::domain::limits::EXPIRY_MARGIN_MS;
use crate::domain::snapshot::Snapshot;
use crate::domain::snapshot::selector::TurnPlace;
use crate::ports::database::{SEQ_MAX, SqlValue, values};
use crate::session::catalogue::Catalogue;

impl Catalogue {
    /// The newest snapshot that can be restored, but for safety snapshots: those have the files
    /// that a rewind was about to replace.
    pub fn latest_snapshot(&self, now_ms: i64) -> Result<Option<Snapshot>> {
        let rows = self.select_snapshots(
            "WHERE state = 'ready' AND trigger <> 'safety'
                AND (pinned OR created_at_ms + ttl_secs * 1000 >= ?)
             ORDER BY seq DESC LIMIT 1",
            &[(now_ms + EXPIRY_MARGIN_MS).into()],
        )?;
        Ok(rows.into_iter().next())
    }

    /// The names of snapshots that can be restored, newest first; at most 1000.
    pub fn snapshot_names(&self, now_ms: i64) -> Result<Vec<String>> {
        values(
            self.database.as_ref(),
            "SELECT name FROM snapshots WHERE state = 'ready' AND name IS NOT NULL
                AND (pinned OR created_at_ms + ttl_secs * 1000 >= ?)
             ORDER BY seq DESC LIMIT 1000",
            &[(now_ms + EXPIRY_MARGIN_MS).into()],
        )
    }

    /// The turns nearest to one that does not exist, newest first: one on each side of a number,
    /// else the last three.
    pub fn nearest_turns(&self, place: &TurnPlace) -> Result<Vec<u64>> {
        let numbers =
            |sql: &str, values_of: &[SqlValue]| values(self.database.as_ref(), sql, values_of);
        match place {
            TurnPlace::Number(number) => {
                let number = i64::try_from(*number).unwrap_or(SEQ_MAX).min(SEQ_MAX);
                let above = "SELECT number FROM turns WHERE number > ? ORDER BY number LIMIT 1";
                let below =
                    "SELECT number FROM turns WHERE number < ? ORDER BY number DESC LIMIT 1";
                let mut found: Vec<u64> = numbers(above, &[number.into()])?;
                found.extend(numbers(below, &[number.into()])?);
                Ok(found)
            }
            TurnPlace::Cursor(_) => {
                numbers("SELECT number FROM turns ORDER BY number DESC LIMIT 3", &[])
            }
        }
    }
}
