//! Check whether R2 still has the snapshots of the catalogue, a few at a time.
//!
//! `recover` handles, from rows, what a crash of the session's own calls left.
//! The sweep finds other losses: objects that a lifecycle rule, a crossing or a
//! person has removed. If too much is missing to be believed, as after a deploy
//! with another bucket, it changes nothing.

use crate::domain::error::{ErrorCode, Result};
use crate::domain::limits::{
    ENDED_FORGOTTEN_AT_ONCE, ENDED_KEPT_MS, LOSSES_BELIEVED, META_READS_AT_ONCE, SWEEP_AT_ONCE,
    SWEEP_RETRY_MS,
};
use crate::domain::snapshot::Snapshot;
use crate::session::context::Context;
use crate::session::snapshots::store::{SnapshotStore, Stored};
use futures::stream;
use futures::stream::StreamExt;
use serde_json::json;
use std::collections::BTreeMap;

parts!(Sweep { context: Context, store: SnapshotStore });

impl Sweep<'_> {
    /// When a check is due, in milliseconds since the epoch.
    pub(crate) fn sweep_due_ms(&self) -> Result<Option<i64>> {
        let oldest_ms = self.context.catalogue.oldest_check_ms()?;
        Ok(oldest_ms.map(|at_ms| at_ms + self.context.settings.sweep_every_ms))
    }

    /// Checks the snapshots whose last check is `sweep_every_ms` old, as many as
    /// one alarm may.
    pub(crate) async fn sweep(&self) -> Result<Option<i64>> {
        let before_ms = self.context.now_ms() - self.context.settings.sweep_every_ms;
        let due = self.context.catalogue.snapshots_checked_before(before_ms, SWEEP_AT_ONCE)?;
        let swept = match self.find_all(&due).await {
            Ok(found) => self.record_all_found(found).await,
            Err(error) => Err(error),
        };
        match swept {
            // A missing snapshot stays due: later sweeps look for it again.
            Ok(()) if self.context.catalogue.halted_sweeps()?.is_empty() => return Ok(None),
            Ok(()) => {}
            Err(error) if error.code == ErrorCode::Internal => return Err(error),
            Err(error) => {
                self.context.warn("sweep", json!({ "code": error.code, "cause": error.cause }));
            }
        }
        Ok(Some(self.context.now_ms() + SWEEP_RETRY_MS))
    }

    /// When the next snapshot or workspace that has ended is to be forgotten, in
    /// milliseconds since the epoch.
    pub(crate) fn ended_due_ms(&self) -> Result<Option<i64>> {
        Ok(self.context.catalogue.oldest_end_ms()?.map(|at_ms| at_ms + ENDED_KEPT_MS))
    }

    /// Forgets a few workspaces and snapshots that ended long ago.
    pub(crate) fn forget_ended(&self) -> Result<Option<i64>> {
        let now_ms = self.context.now_ms();
        let (before_ms, limit) = (now_ms - ENDED_KEPT_MS, ENDED_FORGOTTEN_AT_ONCE);
        // Workspaces first: a snapshot that one was made from may then go, too.
        self.context.catalogue.forget_ended_workspaces(before_ms, now_ms, limit)?;
        self.context.catalogue.forget_ended_snapshots(before_ms, now_ms, limit)?;
        Ok(None)
    }

    /// What R2 has of each snapshot, by binding.
    async fn find_all<'a>(
        &self,
        due: &'a [Snapshot],
    ) -> Result<BTreeMap<&'a str, Vec<(&'a Snapshot, Stored)>>> {
        let mut looks = stream::iter(due)
            .map(async |row| self.store.find_stored(row).await.map(|stored| (row, stored)))
            .buffer_unordered(META_READS_AT_ONCE);
        let mut found: BTreeMap<&str, Vec<(&Snapshot, Stored)>> = BTreeMap::new();
        while let Some(look) = looks.next().await {
            let (row, stored) = look?;
            found.entry(&row.binding).or_default().push((row, stored));
        }
        Ok(found)
    }

    async fn record_all_found(
        &self,
        found: BTreeMap<&str, Vec<(&Snapshot, Stored)>>,
    ) -> Result<()> {
        for (binding, found) in found {
            let lost: Vec<_> = found.iter().filter(|(_, stored)| stored.is_lost()).collect();
            let mut halts = lost.len() > LOSSES_BELIEVED;
            if !halts {
                for (row, stored) in &lost {
                    halts |= !self.store.is_same_bucket(row, *stored).await?;
                }
            }
            if halts {
                self.store.halt_sweep(binding, lost.len() as u64)?;
            } else {
                self.store.resume_sweep(binding)?;
            }
            for (row, stored) in &found {
                if !halts || *stored == Stored::Whole {
                    self.store.record_found(&row.id, *stored).await?;
                }
            }
        }
        Ok(())
    }
}
