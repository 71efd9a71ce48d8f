//! Delete snapshots of this session that an operator's rule selects.

use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::snapshot::prune::{
    KeptBecause, OwnOutcome, OwnVerdict, PruneCandidate, PruneOwn,
};
use crate::domain::{BackupId, DeleteReason, Result, SnapshotState};
use crate::ports::{Level, LogLine};
use crate::session::Session;
use crate::session::parts::{Context, Deleter, InFlight};
use serde_json::json;

parts!(Prune { context: Context, in_flight: InFlight, deleter: Deleter });

impl Session {
    /// Judges backups that name this session as their owner, even if it is closed or read-only, and
    /// deletes those that the rule selects. Order for each snapshot: alarm, `deleting` row and
    /// event, `meta.json`, archive, `deleted` row.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails or the alarm cannot be set.
    pub async fn prune_by_rule(&self, request: &PruneOwn) -> Result<Vec<OwnVerdict>> {
        let prune = Prune::from(self);
        let mut verdicts = Vec::new();
        for id in &request.ids {
            if !request.dry_run {
                prune
                    .context
                    .ports
                    .alarm
                    .schedule_by(prune.context.now_ms() + RECOVER_AFTER_MS)
                    .await?;
            }
            // No await from this look to the row: a snapshot that is pinned, read or needed stays.
            let outcome = match prune.judge(id, request)? {
                OwnOutcome::Deleted { size_bytes } if !request.dry_run => {
                    prune.prune_one(id, size_bytes).await
                }
                outcome => outcome,
            };
            verdicts.push(OwnVerdict { id: id.clone(), outcome });
        }
        Ok(verdicts)
    }
}

impl Prune<'_> {
    async fn prune_one(&self, id: &BackupId, size_bytes: u64) -> OwnOutcome {
        let pruned = self.deleter.prune(id, DeleteReason::Operator, size_bytes).await;
        let (code, cause) = match &pruned {
            Ok(()) => (None, None),
            Err(error) => (Some(error.code), error.cause.clone()),
        };
        self.context.ports.log.write(LogLine::new(
            Level::Warn,
            "snapshot.pruned",
            json!({
                "session": self.context.session, "backupId": id, "sizeBytes": size_bytes,
                "code": code, "cause": cause,
            }),
        ));
        match pruned {
            Ok(()) => OwnOutcome::Deleted { size_bytes },
            Err(error) => OwnOutcome::Failed(error.to_wire().error),
        }
    }

    fn judge(&self, id: &BackupId, request: &PruneOwn) -> Result<OwnOutcome> {
        let Some(row) = self.context.catalogue.snapshot(id)? else {
            return Ok(OwnOutcome::Unknown);
        };
        if row.binding != request.binding {
            return Ok(OwnOutcome::Kept(KeptBecause::OtherBinding));
        }
        match row.state {
            SnapshotState::Ready => {}
            SnapshotState::Pending | SnapshotState::Deleting => {
                return Ok(OwnOutcome::Kept(KeptBecause::Unfinished));
            }
            SnapshotState::Held | SnapshotState::Released => {
                return Ok(OwnOutcome::Kept(KeptBecause::Base));
            }
            // By the row, R2 has no objects of this snapshot. It has just been
            // deleted, or someone put objects there, perhaps for a rebuild.
            SnapshotState::Deleted | SnapshotState::Failed => return Ok(OwnOutcome::Unknown),
            // The snapshot may become whole again.
            SnapshotState::Lost => return Ok(OwnOutcome::Kept(KeptBecause::Unfinished)),
        }
        let head = self.context.catalogue.heads()?.contains(id);
        let in_use = self.in_flight.snapshots_in_use()?.contains(id);
        let being_read = if head { self.in_flight.is_being_read(id)? } else { in_use };
        let candidate = PruneCandidate {
            created_at_ms: row.created_at_ms,
            trigger: row.cause.trigger,
            later_count: self.context.catalogue.later_count(&row, request.rule.keep_last)?,
            pinned: row.pinned,
            head,
            being_read,
        };
        let kept = request.rule.keeps(&candidate, self.context.now_ms());
        let size_bytes = row.stored_bytes();
        Ok(kept.map_or(OwnOutcome::Deleted { size_bytes }, OwnOutcome::Kept))
    }
}
