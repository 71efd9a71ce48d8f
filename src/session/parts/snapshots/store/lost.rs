//! Record that R2 has lost parts of snapshots, and that it has them again.

use crate::domain::{Event, Result, Snapshot, SnapshotState};
use crate::ports::{Level, LogLine};
use crate::session::parts::SnapshotStore;
use crate::session::parts::snapshots::store::Stored;
use serde_json::json;

impl SnapshotStore {
    /// Deletes nothing: what is left may suffice once the rest is put back.
    pub(crate) async fn record_lost(&self, lost: &[Snapshot]) -> Result<()> {
        let mut unsaved = false;
        for snapshot in lost {
            unsaved |= self.record_one_lost(snapshot)?;
        }
        if unsaved {
            self.context.ports.alarm.schedule_by(self.context.now_ms()).await?;
        }
        Ok(())
    }

    /// Returns whether a workspace would wake from it.
    fn record_one_lost(&self, snapshot: &Snapshot) -> Result<bool> {
        // No await in here. R2 may lack an object for a reason: the snapshot is being deleted, or a
        // flatten has replaced the archive that the caller looked for.
        let row = self.context.require_snapshot(&snapshot.id)?;
        if row.state != SnapshotState::Ready || row.chain != snapshot.chain {
            return Ok(false);
        }
        let now_ms = self.context.now_ms();
        self.context.catalogue.set_snapshot_state(&snapshot.id, SnapshotState::Lost, now_ms)?;
        self.context.ports.log.write(LogLine::new(
            Level::Warn,
            "snapshot.lost",
            json!({ "session": self.context.session, "backupId": snapshot.id }),
        ));
        let event = Event::SnapshotLost { backup_id: snapshot.id.clone() };
        self.context.catalogue.add_event(now_ms, &event)?;
        let is_head = self.context.catalogue.heads()?.contains(&snapshot.id);
        if is_head {
            // For a running workspace, only the disk still has the files. A sleeping one
            // can't wake from the snapshot, and keeps it as its head: it must not start empty.
            self.context.catalogue.set_unsaved(&snapshot.id)?;
        }
        Ok(is_head)
    }

    /// If R2 has a lost snapshot whole again, makes it ready. Returns whether it is.
    pub(crate) async fn recheck_lost(&self, lost: &Snapshot) -> Result<bool> {
        let stored = self.find_stored(lost).await?;
        if stored.is_lost() {
            return Ok(false);
        }
        // No await from here to the event.
        if self.context.require_snapshot(&lost.id)?.state != SnapshotState::Lost {
            return Ok(false);
        }
        let now_ms = self.context.now_ms();
        self.context.catalogue.set_found(&lost.id)?;
        if let Some(turn) = &lost.cause.turn {
            let (origin, before_id) = (&lost.origin_sandbox_id, lost.parent_id.clone());
            let created_ms = lost.created_at_ms;
            self.context
                .catalogue
                .put_rebuilt_turn(turn, &lost.id, origin, before_id, created_ms)?;
        }
        let event = Event::SnapshotRepaired { backup_id: lost.id.clone() };
        self.context.catalogue.add_event(now_ms, &event)?;
        self.context.warn("snapshot.repaired", json!({ "backupId": lost.id }));
        if stored == Stored::Unrecorded {
            self.record_found(&lost.id, stored).await?;
        }
        Ok(true)
    }
}
