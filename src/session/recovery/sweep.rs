//! Check whether R2 still has the catalogue's snapshots: others may have removed objects. If so
//! much is missing that the bucket is probably the wrong one, nothing is changed. If a part of a
//! snapshot is missing, the rest is deleted only days later.

use crate::domain::limits::{
    ENDED_FORGOTTEN_AT_ONCE, ENDED_KEPT_MS, LOSSES_BELIEVED, LOST_DELETED_A_DAY,
    LOST_DELETES_EVERY_MS, LOST_KEPT_MS, LOST_RECHECK_MS, META_READS_AT_ONCE, RECOVER_AFTER_MS,
    SWEEP_AT_ONCE, SWEEP_RETRY_MS,
};
use crate::domain::{BackupId, ErrorCode, Result, Snapshot, SnapshotState};
use crate::session::parts::snapshots::store::Stored;
use crate::session::parts::{Context, Deleter, InFlight, SnapshotStore};
use futures::stream;
use futures::stream::StreamExt;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

parts!(Sweep { context: Context, in_flight: InFlight, store: SnapshotStore, deleter: Deleter });

impl Sweep<'_> {
    pub(crate) fn sweep_due_ms(&self) -> Result<Option<i64>> {
        let oldest_ms = self.context.catalogue.oldest_check_ms()?;
        Ok(oldest_ms.map(|at_ms| at_ms + self.context.settings.sweep_every_ms))
    }

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

    pub(crate) fn lost_due_ms(&self) -> Result<Option<i64>> {
        let lost = self.context.catalogue.lost_snapshots(1)?;
        Ok(lost.first().map(|_| self.context.now_ms()))
    }

    /// Makes lost snapshots ready that R2 has whole again. Deletes a few that have been lost for
    /// days, unless so much is missing that the bucket may be another one.
    pub(crate) async fn recheck_lost(&self) -> Result<Option<i64>> {
        for row in self.context.catalogue.lost_snapshots(SWEEP_AT_ONCE)? {
            self.store.recheck_lost(&row).await?;
        }
        let now_ms = self.context.now_ms();
        let lost_ms = now_ms - LOST_KEPT_MS;
        let mut deletes = Vec::new();
        for row in self.context.catalogue.lost_to_delete(lost_ms, now_ms, LOST_DELETED_A_DAY)? {
            if !self.store.is_halted(&row.binding)? && self.store.is_same_bucket(&row).await? {
                deletes.push(row);
            }
        }
        if !deletes.is_empty() {
            self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
            // No await from here to the last row, which puts off the other lost snapshots.
            deletes.retain(|row| {
                let row = self.context.catalogue.snapshot(&row.id);
                matches!(row, Ok(Some(row)) if row.state == SnapshotState::Lost)
            });
            let now_ms = self.context.now_ms();
            for row in &deletes {
                let (id, state) = (&row.id, SnapshotState::Deleting);
                self.context.catalogue.set_snapshot_state(id, state, now_ms)?;
            }
            self.context.catalogue.put_off_lost(lost_ms + LOST_DELETES_EVERY_MS)?;
        }
        for row in deletes {
            let _working = self.in_flight.work_on(row.id.as_str());
            self.deleter.finish_delete(&row.id, &row.binding).await?;
        }
        Ok(Some(self.context.now_ms() + LOST_RECHECK_MS))
    }

    pub(crate) fn ended_due_ms(&self) -> Result<Option<i64>> {
        Ok(self.context.catalogue.oldest_end_ms()?.map(|at_ms| at_ms + ENDED_KEPT_MS))
    }

    pub(crate) fn forget_ended(&self) -> Result<Option<i64>> {
        let now_ms = self.context.now_ms();
        let (before_ms, limit) = (now_ms - ENDED_KEPT_MS, ENDED_FORGOTTEN_AT_ONCE);
        // Workspaces first: the snapshots that they were made from may then go, too.
        self.context.catalogue.forget_ended_workspaces(before_ms, now_ms, limit)?;
        self.context.catalogue.forget_ended_snapshots(before_ms, now_ms, limit)?;
        Ok(None)
    }

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
            let news: Vec<_> = found.iter().filter(|(row, stored)| stored.is_news(row)).collect();
            // The snapshots that are lost with these count, too: they may be checked later.
            let mut lost: BTreeMap<BackupId, Snapshot> = BTreeMap::new();
            let mut machines: BTreeSet<&BackupId> = BTreeSet::new();
            for (row, stored) in &news {
                machines.extend(row.machine.iter().map(|it| &it.id).filter(|_| !stored.is_lost()));
                if lost.len() + machines.len() <= LOSSES_BELIEVED {
                    let with = self.store.lost_with(row, *stored).await?;
                    lost.extend(with.into_iter().map(|row| (row.id.clone(), row)));
                } else if stored.is_lost() {
                    lost.insert(row.id.clone(), (*row).clone());
                }
            }
            let count = lost.len() + machines.len();
            let mut halts = count > LOSSES_BELIEVED;
            if !halts {
                for (row, _) in &news {
                    halts |= !self.store.is_same_bucket(row).await?;
                }
            }
            if halts {
                self.store.halt_sweep(binding, count as u64)?;
            } else {
                self.store.resume_sweep(binding)?;
                let lost: Vec<Snapshot> = lost.into_values().collect();
                self.store.record_lost(&lost).await?;
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
