//! Sums over the snapshots.

use crate::domain::session::usage::Stored;
use crate::domain::{Result, Snapshot};
use crate::ports::database::{query, values};
use crate::session::catalogue::Catalogue;
use serde::Deserialize;

/// Sums over the session's ready snapshots, from its rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoredSums {
    /// All ready snapshots.
    pub all: Stored,
    /// Ready snapshots that were taken automatically.
    pub automatic: Stored,
    /// Ready snapshots that are pinned.
    pub pinned: Stored,
    /// Ready snapshots that are pinned, were rebuilt lately, or are the last saves of retired
    /// workspaces, expired or not.
    pub guarded: Stored,
}

#[derive(Deserialize)]
struct Group {
    automatic: i64,
    guard: i64,
    count: u64,
    bytes: u64,
}

impl Catalogue {
    /// The number of ready snapshots, and the bytes of their archives.
    pub fn stored(&self) -> Result<StoredSums> {
        let groups: Vec<Group> = query(
            self.database.as_ref(),
            "SELECT automatic, guard, count, bytes FROM snapshot_sums",
            &[],
        )?;
        let mut sums = StoredSums::default();
        for Group { automatic, guard, count, bytes } in groups {
            let stored = Stored { count, size_bytes: bytes };
            sums.all = sums.all.plus(stored);
            if automatic != 0 {
                sums.automatic = sums.automatic.plus(stored);
            }
            if guard != 0 {
                sums.guarded = sums.guarded.plus(stored);
            }
            if guard == 1 {
                sums.pinned = sums.pinned.plus(stored);
            }
        }
        Ok(sums)
    }

    /// The number of deleted snapshots whose archives others need, and their bytes.
    pub fn held(&self) -> Result<Stored> {
        let sql = "SELECT count, bytes FROM held_sums";
        let sums: Vec<Stored> = query(self.database.as_ref(), sql, &[])?;
        Ok(sums.first().copied().unwrap_or_default())
    }

    /// The number of ready snapshots with the same trigger that are later than this snapshot;
    /// counts at most `at_most`.
    pub fn later_count(&self, than: &Snapshot, at_most: u32) -> Result<u64> {
        let counts = values(
            self.database.as_ref(),
            "SELECT COUNT(*) FROM (SELECT 1 FROM snapshots INDEXED BY snapshots_by_age
                WHERE state = 'ready' AND trigger = ? AND (created_at_ms, seq) > (?, ?) LIMIT ?)",
            &[
                than.trigger.as_str().into(),
                than.created_at_ms.into(),
                than.seq.into(),
                i64::from(at_most).into(),
            ],
        )?;
        Ok(counts.first().copied().unwrap_or(0))
    }
}
