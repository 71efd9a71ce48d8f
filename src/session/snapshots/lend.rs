//! Lend a snapshot of this session to a workspace of another session.

use crate::domain::ids::not_owned_snapshot;
use crate::domain::limits::{LEASE_KEPT_MS, LEASE_READ_MS};
use crate::domain::snapshot::lease::LeaseAction;
use crate::domain::{Event, LeaseAnswer, LeaseRequest, Result, SnapshotState};
use crate::session::Session;
use crate::session::parts::{Context, RateLimits};

parts!(Lend { context: Context, rate_limits: RateLimits });

impl Session {
    /// Begins, prolongs or ends a lease. Synchronous, so that a delete finds a granted lease, and
    /// no lease is granted once a delete has begun.
    ///
    /// # Errors
    /// `RATE_LIMITED`; `SNAPSHOT_NOT_OWNED`, in the same words if it is unpublished or not this
    /// session's; `SNAPSHOT_EXPIRED`, `SNAPSHOT_GONE`, `CONFLICT`.
    pub fn lend(&self, request: &LeaseRequest) -> Result<LeaseAnswer> {
        let lend = Lend::from(self);
        if request.action == LeaseAction::Return {
            lend.context.catalogue.end_lease(request)?;
            return Ok(LeaseAnswer::default());
        }
        if request.action == LeaseAction::Claim {
            lend.rate_limits.admit_claim(&request.borrower)?;
        }
        let snapshot = lend.context.catalogue.snapshot(&request.backup_id)?;
        let snapshot = snapshot
            .filter(|row| row.binding == request.binding)
            .filter(|row| row.published || request.action != LeaseAction::Claim)
            .ok_or_else(not_owned_snapshot)?;
        let now_ms = lend.context.now_ms();
        let handle = match (request.action, snapshot.state) {
            // The borrower found the snapshot in R2: it was taken, but its call does not know.
            (LeaseAction::Cross | LeaseAction::Keep, SnapshotState::Pending) => None,
            // The workspace needs the snapshot as soon as R2 has it whole again.
            (LeaseAction::Keep, SnapshotState::Lost) => None,
            // A workspace made from the snapshot needs it, even past its time to live.
            (LeaseAction::Keep, SnapshotState::Ready) => snapshot.handle.clone(),
            (LeaseAction::Keep, _) => return Err(snapshot.gone()),
            _ => Some(snapshot.restorable(now_ms)?.clone()),
        };
        let reads = request.action != LeaseAction::Keep;
        let until_ms = now_ms + if reads { LEASE_READ_MS } else { LEASE_KEPT_MS };
        lend.context.catalogue.put_lease(request, reads, until_ms)?;
        if request.action == LeaseAction::Claim
            && let Some(omitted_count) =
                lend.context.catalogue.count_claim(&request.borrower, now_ms)?
        {
            let (backup_id, session_id) = (snapshot.id, request.borrower.clone());
            let event = Event::SnapshotClaimed { backup_id, session_id, omitted_count };
            lend.context.catalogue.add_event(now_ms, &event)?;
        }
        Ok(LeaseAnswer { handle })
    }
}
