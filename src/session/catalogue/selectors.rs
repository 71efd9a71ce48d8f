//! Finds what selectors name without an id, and what is close to a name that does not exist.

use crate::domain::limits::EXPIRY_MARGIN_MS;
use crate::domain::{BackupId, Result, Snapshot, SnapshotState, SnapshotTrigger, TurnPlace};
use crate::ports::SqlValue;
use crate::ports::database::{SEQ_MAX, values};
use crate::session::catalogue::Catalogue;

/// How many snapshots back the search for a requested one goes.
const PARENTS_MAX: usize = 1_000;

impl Catalogue {
    /// The newest restorable snapshot, but no safety snapshot, whose files a rewind replaced.
    pub fn latest_snapshot(&self, now_ms: i64) -> Result<Option<Snapshot>> {
        let rows = self.select_snapshots(
            "WHERE state = 'ready' AND trigger <> 'safety'
                AND (pinned OR created_at_ms + ttl_secs * 1000 >= ?)
             ORDER BY seq DESC LIMIT 1",
            &[(now_ms + EXPIRY_MARGIN_MS).into()],
        )?;
        Ok(rows.into_iter().next())
    }

    /// Goes from `start` back over parents to the first requested snapshot or turn, or to `origin`.
    pub fn last_requested(
        &self,
        start: &BackupId,
        origin: Option<&BackupId>,
    ) -> Result<Option<BackupId>> {
        let mut next = Some(start.clone());
        for _ in 0..PARENTS_MAX {
            let Some(id) = next else { return Ok(None) };
            if origin == Some(&id) {
                return Ok(Some(id));
            }
            let Some(snapshot) = self.snapshot(&id)? else { return Ok(None) };
            let is_requested =
                !matches!(snapshot.counts_as(), SnapshotTrigger::Auto | SnapshotTrigger::Safety);
            if is_requested && snapshot.state == SnapshotState::Ready {
                return Ok(Some(id));
            }
            next = snapshot.parent_id;
        }
        Ok(None)
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

    /// The turns nearest to a missing one: one on each side of a number, else the last three.
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
