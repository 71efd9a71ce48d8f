//! Lend a snapshot of this session to a workspace of another one.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{BackupId, SessionId, not_owned_snapshot};
use crate::domain::limits::{LEASE_KEPT_MS, LEASE_READ_MS};
use crate::domain::session::event::Event;
use crate::domain::snapshot::SnapshotState;
use crate::domain::snapshot::lease::{LeaseAction, LeaseAnswer, LeaseRequest};
use crate::session::Host;

impl Host {
    /// Begins, prolongs or ends a lease. Synchronous, so that a delete finds a
    /// lease that was granted, and no lease is granted once a delete has begun.
    ///
    /// # Errors
    /// `RATE_LIMITED` for too many claims; `SNAPSHOT_NOT_OWNED` for one that is not published, or not this
    /// session's, in the same words; `SNAPSHOT_EXPIRED`, `SNAPSHOT_GONE`,
    /// `CONFLICT` as a restore by this session answers them.
    pub fn lend(&self, request: &LeaseRequest) -> Result<LeaseAnswer> {
        if request.action == LeaseAction::Return {
            self.catalogue.end_lease(request)?;
            return Ok(LeaseAnswer::default());
        }
        if request.action == LeaseAction::Claim {
            self.admit_claim(&request.borrower)?;
        }
        let snapshot = self.catalogue.snapshot(&request.backup_id)?;
        let snapshot = snapshot
            .filter(|row| row.binding == request.binding)
            .filter(|row| row.published || request.action != LeaseAction::Claim)
            .ok_or_else(not_owned_snapshot)?;
        let now_ms = self.now_ms();
        let handle = match request.action {
            // A workspace that was made from it needs it, whatever its time to live.
            LeaseAction::Keep if snapshot.state == SnapshotState::Ready => snapshot.handle.clone(),
            LeaseAction::Keep => return Err(snapshot.gone()),
            _ => Some(snapshot.restorable(now_ms)?.clone()),
        };
        let reads = request.action != LeaseAction::Keep;
        let until_ms = now_ms + if reads { LEASE_READ_MS } else { LEASE_KEPT_MS };
        self.catalogue.put_lease(request, reads, until_ms)?;
        if request.action == LeaseAction::Claim
            && let Some(omitted_count) = self.catalogue.count_claim(&request.borrower, now_ms)?
        {
            let (backup_id, session_id) = (snapshot.id, request.borrower.clone());
            let event = Event::SnapshotClaimed { backup_id, session_id, omitted_count };
            self.catalogue.add_event(now_ms, &event)?;
        }
        Ok(LeaseAnswer { handle })
    }

    /// Refuses to take away what another session reads, or unless `forced` what
    /// a workspace of another session than `asker` would wake from.
    pub(crate) fn check_unlent(
        &self,
        id: &BackupId,
        forced: bool,
        asker: Option<&SessionId>,
    ) -> Result<()> {
        let now_ms = self.now_ms();
        if self.catalogue.is_lent_to_read(id, now_ms)? {
            return Err(Error::new(
                ErrorCode::Conflict,
                format!("snapshot {id} is being restored by another session"),
            )
            .with_hint("delete it once the restore has ended"));
        }
        if forced || !self.catalogue.is_lent_beside(id, asker, now_ms)? {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Conflict,
            format!("a workspace of another session would wake from snapshot {id}"),
        )
        .with_hint(
            "delete it later: that ends once the workspace has been saved or destroyed; force: true deletes the snapshot all the same, and the workspace then can't wake",
        ))
    }
}
