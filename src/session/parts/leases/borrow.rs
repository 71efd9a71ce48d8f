//! Borrow a snapshot of another session for a workspace, and keep the lease while the workspace
//! would wake from it. A call that borrows marks the workspace in `borrowing` meanwhile.

use crate::domain::ids::not_owned_snapshot;
use crate::domain::limits::{LEASE_RENEW_MS, LEASE_RETRY_MS, RECOVER_AFTER_MS};
use crate::domain::snapshot::lease::LeaseAction;
use crate::domain::snapshot::ownership::check_foreign;
use crate::domain::{
    BackupHandle, BackupId, BackupMeta, Error, ErrorCode, LeaseAnswer, LeaseRequest, Outcome,
    Result, SandboxId, SessionId, SnapshotSelector, WorkspaceState,
};
use crate::ports::{Level, LogLine};
use crate::session::catalogue::Borrowed;
use crate::session::parts::Leases;
use crate::support::backup_objects::read_meta;
use serde_json::json;

impl Leases {
    /// Finds a published snapshot from its `meta.json` alone: trying ids does not start the objects
    /// of other sessions. An unpublished snapshot gives the same error as one that does not exist.
    pub(crate) async fn find_published(
        &self,
        binding: &str,
        selector: &SnapshotSelector,
    ) -> Result<BackupMeta> {
        let id = selector.backup_id().ok_or_else(not_owned_snapshot)?;
        let bucket = self.context.ports.buckets.open(binding)?;
        let meta = match read_meta(bucket.as_ref(), id).await {
            Ok(meta) => meta.ok_or_else(not_owned_snapshot)?,
            Err(error) if error.code == ErrorCode::Unavailable => return Err(error),
            // An unreadable record belongs to no backup that this session may know of.
            Err(_unreadable) => return Err(not_owned_snapshot()),
        };
        check_foreign(selector, &meta)?;
        let published = meta.snapshotter.as_ref().is_some_and(|ours| ours.published);
        if published { Ok(meta) } else { Err(not_owned_snapshot()) }
    }

    /// The owner decides; the caller has made all other checks.
    pub(crate) async fn claim(
        &self,
        binding: &str,
        meta: &BackupMeta,
        sandbox_id: &SandboxId,
    ) -> Result<BackupHandle> {
        let answer = self.borrow(binding, meta, sandbox_id, LeaseAction::Claim).await?;
        answer.handle.ok_or_else(|| Error::internal("a claim was answered without a handle"))
    }

    /// Takes a lease on a snapshot reached by crossing. Crossing is the operator's decision, so
    /// only an owner that is deleting the snapshot refuses.
    pub(crate) async fn cross_by_lease(
        &self,
        binding: &str,
        meta: &BackupMeta,
        sandbox_id: &SandboxId,
    ) -> Result<()> {
        if meta.snapshotter.is_none() {
            return Ok(());
        }
        match self.borrow(binding, meta, sandbox_id, LeaseAction::Cross).await {
            Err(error) if error.code == ErrorCode::SnapshotGone => Err(error),
            _ => Ok(()),
        }
    }

    /// Order: alarm, row, owner. However this call ends, the alarm finds the row, and returns the
    /// lease if no workspace needs it.
    async fn borrow(
        &self,
        binding: &str,
        meta: &BackupMeta,
        sandbox_id: &SandboxId,
        action: LeaseAction,
    ) -> Result<LeaseAnswer> {
        let ours = meta.snapshotter.as_ref().ok_or_else(not_owned_snapshot)?;
        // This session's object has lost the row; a rebuild brings it back.
        if ours.session_id == self.context.session {
            return Err(not_owned_snapshot());
        }
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        let _guard = self.asking_owner.lock(sandbox_id).await;
        let borrowed = Borrowed {
            sandbox_id: sandbox_id.clone(),
            backup_id: meta.id.clone(),
            binding: binding.to_owned(),
            owner: ours.session_id.clone(),
            renew_at_ms: self.context.now_ms(),
        };
        // The workspace may have the lease already, or another call may have just taken it.
        let had = self.context.catalogue.has_borrowed(&borrowed)?;
        self.context.catalogue.put_borrowed(&borrowed)?;
        let answer = self.ask_owner(&borrowed, action).await;
        if let Err(error) = &answer
            && error.outcome == Outcome::None
            && !had
        {
            self.context.catalogue.drop_borrowed(&borrowed)?;
        }
        // Even if the owner's outcome is unknown, nothing of this session has changed.
        answer.map_err(|error| error.with_outcome(Outcome::None))
    }

    async fn ask_owner(&self, borrowed: &Borrowed, action: LeaseAction) -> Result<LeaseAnswer> {
        let request = LeaseRequest {
            backup_id: borrowed.backup_id.clone(),
            binding: borrowed.binding.clone(),
            borrower: self.context.session.clone(),
            sandbox_id: borrowed.sandbox_id.clone(),
            action,
        };
        self.context.ports.sessions.lend(&borrowed.owner, request).await
    }

    /// A failure does not fail the caller: the alarm or the next object retries.
    pub(crate) async fn update_leases_of(&self, sandbox_id: &SandboxId) {
        let tended = async {
            for borrowed in self.context.catalogue.borrowed()? {
                if &borrowed.sandbox_id == sandbox_id {
                    self.update_lease(&borrowed).await?;
                }
            }
            Ok(())
        };
        let tended: Result<()> = tended.await;
        if let Err(error) = tended {
            self.context.ports.log.write(LogLine::new(
                Level::Warn,
                "lease.unconfirmed",
                json!({
                    "session": self.context.session, "sandboxId": sandbox_id,
                    "code": error.code, "cause": error.cause,
                }),
            ));
        }
    }

    /// Returns all leases of a session about to be forgotten. A failure does not keep the session:
    /// what its owner did not take back ends by itself.
    pub(crate) async fn return_all(&self) -> Result<()> {
        for borrowed in self.context.catalogue.borrowed()? {
            let _guard = self.asking_owner.lock(&borrowed.sandbox_id).await;
            let returned = self.ask_owner(&borrowed, LeaseAction::Return).await;
            if let Err(error) = returned {
                let fields = json!({
                    "backupId": borrowed.backup_id, "sandboxId": borrowed.sandbox_id,
                    "code": error.code, "cause": error.cause,
                });
                self.context.warn("lease.unconfirmed", fields);
            }
        }
        Ok(())
    }

    pub(crate) fn leases_due_ms(&self) -> Result<Option<i64>> {
        let now_ms = self.context.now_ms();
        let mut due_ms = self.context.catalogue.next_lease_end_ms()?;
        for borrowed in self.context.catalogue.borrowed()? {
            // The call that borrows for the workspace updates its leases at its end.
            if self.borrowing.has(&borrowed.sandbox_id) {
                continue;
            }
            let tell_ms = if self.needs(&borrowed)? { borrowed.renew_at_ms } else { now_ms };
            due_ms = Some(due_ms.map_or(tell_ms, |due_ms| due_ms.min(tell_ms)));
        }
        Ok(due_ms)
    }

    pub(crate) async fn recover_leases(&self) -> Result<Option<i64>> {
        self.context.catalogue.forget_leases(self.context.now_ms())?;
        let mut failed = false;
        for borrowed in self.context.catalogue.borrowed()? {
            if borrowed.renew_at_ms <= self.context.now_ms() || !self.needs(&borrowed)? {
                failed |= !self.update_lease(&borrowed).await?;
            }
        }
        // Without a failure, a lease that became due meanwhile (a save) is due at once.
        Ok(failed.then(|| self.context.now_ms() + LEASE_RETRY_MS))
    }

    /// False: retry later. A call that borrows for the workspace updates the lease itself. The lock
    /// keeps a late return from ending the next lease of the same snapshot.
    async fn update_lease(&self, borrowed: &Borrowed) -> Result<bool> {
        let id = &borrowed.sandbox_id;
        if self.borrowing.has(id) {
            return Ok(true);
        }
        let _guard = self.asking_owner.lock(id).await;
        if self.borrowing.has(id) {
            return Ok(true);
        }
        let updated = self.renew_or_return(borrowed).await;
        self.note_lease_update(borrowed, updated).await
    }

    /// Whether a workspace would wake from the snapshot, or a rewind to it must still be finished.
    fn needs(&self, borrowed: &Borrowed) -> Result<bool> {
        let Borrowed { sandbox_id, backup_id, .. } = borrowed;
        let rewinds = self.context.catalogue.running_rewinds()?;
        if rewinds.iter().any(|to| &to.sandbox_id == sandbox_id && &to.backup_id == backup_id) {
            return Ok(true);
        }
        let workspace = self.context.catalogue.workspace(sandbox_id)?;
        let lives = workspace.is_some_and(|row| row.state != WorkspaceState::Destroyed);
        Ok(lives && self.context.catalogue.heads_of(sandbox_id)?.find(backup_id).is_some())
    }

    async fn renew_or_return(&self, borrowed: &Borrowed) -> Result<()> {
        if self.needs(borrowed)? {
            self.ask_owner(borrowed, LeaseAction::Keep).await?;
            // If the workspace was saved meanwhile, the lease is due again at once.
            return self
                .context
                .catalogue
                .set_renewed(borrowed, self.context.now_ms() + LEASE_RENEW_MS);
        }
        self.ask_owner(borrowed, LeaseAction::Return).await?;
        self.context.catalogue.drop_borrowed(borrowed)
    }

    async fn note_lease_update(&self, borrowed: &Borrowed, updated: Result<()>) -> Result<bool> {
        let Err(error) = updated else { return Ok(true) };
        let lost = error.code == ErrorCode::SnapshotGone;
        self.context.ports.log.write(LogLine::new(
            Level::Warn,
            if lost { "lease.lost" } else { "lease.unconfirmed" },
            json!({
                "session": self.context.session, "backupId": borrowed.backup_id,
                "sandboxId": borrowed.sandbox_id, "code": error.code, "cause": error.cause,
            }),
        ));
        if lost {
            // A wake would report the snapshot as gone; a save gives the workspace another head.
            self.context.catalogue.drop_borrowed(borrowed)?;
            return Ok(true);
        }
        if error.code == ErrorCode::SnapshotNotOwned {
            // The owner may have lost its storage. After a rebuild it knows the snapshot again.
            let renew_at_ms = self.context.now_ms() + LEASE_RENEW_MS;
            self.context.catalogue.set_renewed(borrowed, renew_at_ms)?;
            return Ok(true);
        }
        self.context.ports.alarm.schedule_by(self.context.now_ms() + LEASE_RETRY_MS).await?;
        Ok(false)
    }

    /// Refuses while another session reads the snapshot, or, unless `forced`, one other than
    /// `asker` would wake from it.
    pub(crate) fn check_unlent(
        &self,
        id: &BackupId,
        forced: bool,
        asker: Option<&SessionId>,
    ) -> Result<()> {
        let now_ms = self.context.now_ms();
        if self.context.catalogue.is_lent_to_read(id, now_ms)? {
            return Err(Error::new(
                ErrorCode::Conflict,
                format!("snapshot {id} is being restored by another session"),
            )
            .with_hint("delete it once the restore has ended"));
        }
        if forced || !self.context.catalogue.is_lent_beside(id, asker, now_ms)? {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Conflict,
            format!("a workspace of another session would wake from snapshot {id}"),
        )
        .with_hint(
            "delete it after that workspace has been saved or destroyed; force: true deletes the snapshot anyway, and the workspace then can't wake",
        ))
    }
}
