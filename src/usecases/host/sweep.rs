//! Look whether R2 still has what the catalogue says, a few snapshots at a time.
//!
//! What a crash left of the session's own calls is settled by `settle`, from
//! rows. This finds what no call of ours did: objects that a lifecycle rule, a
//! crossing or a person has removed.

use super::Host;
use crate::domain::backup::{data_key, meta_key};
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::BackupId;
use crate::domain::limits::{META_READS_AT_ONCE, SWEEP_AT_ONCE, SWEEP_RETRY_MS};
use crate::domain::snapshot::{Snapshot, SnapshotState};
use crate::ports::log::{Level, LogLine};
use futures::stream::{self, StreamExt};
use serde_json::json;

impl Host {
    /// Checks the snapshots that were not looked at for a day, and sets the
    /// alarm for the next one.
    pub(super) async fn sweep(&self) -> Result<()> {
        let before_ms = self.now_ms() - self.settings.sweep_every_ms;
        let due = self.catalogue.snapshots_checked_before(before_ms, SWEEP_AT_ONCE)?;
        let mut checks = stream::iter(&due)
            .map(|snapshot| self.check_stored(snapshot))
            .buffer_unordered(META_READS_AT_ONCE);
        while let Some(checked) = checks.next().await {
            let Err(error) = checked else { continue };
            if error.code == ErrorCode::Internal {
                return Err(error);
            }
            self.ports.log.write(LogLine::new(
                Level::Warn,
                "sweep",
                json!({ "session": self.session, "code": error.code, "cause": error.cause }),
            ));
            return self.ports.alarm.wake_by(self.now_ms() + SWEEP_RETRY_MS).await;
        }
        drop(checks);
        if let Some(oldest_ms) = self.catalogue.oldest_check_ms()? {
            self.ports.alarm.wake_by(oldest_ms + self.settings.sweep_every_ms).await?;
        }
        Ok(())
    }

    /// When retention or a check is due, in milliseconds since the epoch.
    pub(super) fn upkeep_due_ms(&self) -> Result<Option<i64>> {
        let oldest_ms = self.catalogue.oldest_check_ms()?;
        let check_ms = oldest_ms.map(|at_ms| at_ms + self.settings.sweep_every_ms);
        Ok([self.retention_due_ms()?, check_ms].into_iter().flatten().min())
    }

    /// Ends the row of a snapshot that R2 does not have whole any more.
    pub(super) async fn check_stored(&self, snapshot: &Snapshot) -> Result<()> {
        let id = &snapshot.id;
        let bucket = self.ports.buckets.open(&snapshot.binding)?;
        let meta = bucket.head(&meta_key(id)).await?;
        let archive = bucket.head(&data_key(id)).await?;
        // No await from here to the row: what is being deleted is missing for a reason.
        let row = self.require_snapshot(id)?;
        if row.state != SnapshotState::Ready {
            return Ok(());
        }
        let (Some(_), Some(archive)) = (meta, archive) else {
            return self.record_lost(&row).await;
        };
        if Some(archive.size_bytes) != row.size_bytes {
            self.ports.log.write(LogLine::new(
                Level::Warn,
                "snapshot.damaged",
                json!({
                    "session": self.session, "backupId": id,
                    "sizeBytes": row.size_bytes, "foundBytes": archive.size_bytes,
                }),
            ));
        }
        self.catalogue.set_checked(id, self.now_ms())
    }

    /// Where a restore found a snapshot missing, the catalogue is to say so too.
    pub(super) async fn check_missing(&self, id: &BackupId, error: &Error) {
        if error.code != ErrorCode::SnapshotGone {
            return;
        }
        let checked = match self.require_snapshot(id) {
            Ok(row) => self.check_stored(&row).await,
            Err(error) => Err(error),
        };
        // The next sweep finds it otherwise.
        if let Err(error) = checked {
            self.ports.log.write(LogLine::new(
                Level::Warn,
                "sweep",
                json!({ "session": self.session, "code": error.code, "cause": error.cause }),
            ));
        }
    }
}
