//! Lend a snapshot of this session to a workspace of another one.

use super::Host;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::event::Event;
use crate::domain::ids::{BackupId, SessionId, not_owned_snapshot};
use crate::domain::limits::{LOAN_KEPT_MS, LOAN_READ_MS};
use crate::domain::loan::{Lent, LoanRequest, LoanWish};
use crate::domain::snapshot::SnapshotState;

impl Host {
    /// Begins, prolongs or ends a loan. Synchronous, so that a delete finds a
    /// loan that was granted, and no loan is granted once a delete has begun.
    ///
    /// # Errors
    /// `RATE_LIMITED` for too many claims; `SNAPSHOT_NOT_OWNED` for one that is not published, or not this
    /// session's, in the same words; `SNAPSHOT_EXPIRED`, `SNAPSHOT_GONE`,
    /// `CONFLICT` as a restore by this session answers them.
    pub fn lend(&self, request: &LoanRequest) -> Result<Lent> {
        if request.wish == LoanWish::Return {
            self.catalogue.end_loan(request)?;
            return Ok(Lent::default());
        }
        if request.wish == LoanWish::Claim {
            self.admit_claim(&request.borrower)?;
        }
        let snapshot = self.catalogue.snapshot(&request.backup_id)?;
        let snapshot = snapshot
            .filter(|row| row.binding == request.binding)
            .filter(|row| row.published || request.wish != LoanWish::Claim)
            .ok_or_else(not_owned_snapshot)?;
        let now_ms = self.now_ms();
        let handle = match request.wish {
            // A workspace that was made from it needs it, whatever its time to live.
            LoanWish::Keep if snapshot.state == SnapshotState::Ready => snapshot.handle.clone(),
            LoanWish::Keep => return Err(snapshot.gone()),
            _ => Some(snapshot.restorable(now_ms)?.clone()),
        };
        let reads = request.wish != LoanWish::Keep;
        let until_ms = now_ms + if reads { LOAN_READ_MS } else { LOAN_KEPT_MS };
        self.catalogue.put_loan(request, reads, until_ms)?;
        if request.wish == LoanWish::Claim
            && let Some(untold_count) = self.catalogue.tell_claim(&request.borrower, now_ms)?
        {
            let (backup_id, session_id) = (snapshot.id, request.borrower.clone());
            let event = Event::SnapshotClaimed { backup_id, session_id, untold_count };
            self.catalogue.add_event(now_ms, &event)?;
        }
        Ok(Lent { handle })
    }

    /// Refuses to take away what another session reads, or unless `forced` what
    /// a workspace of another session than `asker` would wake from.
    pub(super) fn check_unlent(
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
