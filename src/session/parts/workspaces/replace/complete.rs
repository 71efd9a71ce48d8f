//! Finish a rewind that a crash interrupted, and report its outcome.

use crate::domain::{Error, ErrorCode, Outcome, Result, WorkspaceState};
use crate::session::Abort;
use crate::session::catalogue::{Rewind, RewindState};
use crate::session::parts::snapshots::source::{Source, Stored};
use crate::session::parts::{LoadedSession, Replacer};

impl Replacer {
    /// Redoes a rewind whose outcome its caller never learned: the same snapshot gives the same
    /// files. Gives it up, and keeps the workspace's files, if the container that had them is gone
    /// or the snapshot can't be applied. Returns which happened.
    pub(crate) async fn complete_rewind(&self, left: &Rewind) -> Result<&'static str> {
        let id = &left.sandbox_id;
        let _exclusive = self.locks.exclusive(id, "the recovery of a rewind").await?;
        let ended = self.context.catalogue.rewind(left.seq)?;
        match ended.map(|rewind| rewind.state) {
            Some(RewindState::Running) => {}
            // Another caller has just finished the rewind.
            Some(RewindState::Done) => return Ok("rewound"),
            _ => return Ok("as it was"),
        }
        let _working = self.in_flight.work_on(id.as_str());
        let loaded = self.context.load()?;
        let active = match self.context.catalogue.workspace(id)? {
            Some(row) if row.state == WorkspaceState::Ready => {
                self.containers.has_files(id).await?
            }
            _ => None,
        };
        let Some(active) = active else {
            return self.complete_without_container(&loaded, left).await;
        };
        let redone = async {
            let source = self.source_of(&loaded, left).await?;
            let machine_lost = self.has_lost_machine(&loaded, &source).await?;
            if self.changes_machine(&loaded, &source, left, machine_lost)? {
                return Ok(false);
            }
            self.replace(&loaded, &active, &source, left, &Abort::default())
                .await
                .map(|_ended| true)
        };
        match redone.await {
            Ok(false) => self.complete_without_container(&loaded, left).await,
            Ok(true) => {
                self.context.catalogue.forget_retry(id.as_str())?;
                Ok("rewound")
            }
            Err(error)
                if error.outcome == Outcome::None && error.code != ErrorCode::Unavailable
                    || error.code == ErrorCode::WorkspaceLost =>
            {
                // The disk may have files that the head lacks.
                self.context.catalogue.forget_retry(id.as_str())?;
                self.context.catalogue.set_saved_at(id, 0)?;
                self.context.catalogue.end_rewind(left.seq, RewindState::Undone)?;
                Ok("as it was")
            }
            Err(error) => Err(error),
        }
    }

    /// As [`Self::complete_rewind`], if the container is gone, or is to be replaced because the
    /// machine changes: whatever happens, the workspace wakes with all that it had.
    async fn complete_without_container(
        &self,
        loaded: &LoadedSession,
        left: &Rewind,
    ) -> Result<&'static str> {
        let id = &left.sandbox_id;
        if loaded.config.machine.is_none() || self.context.usable(id).is_err() {
            self.context.catalogue.end_rewind(left.seq, RewindState::Undone)?;
            return Ok("as it was");
        }
        let redone = async {
            let source = self.source_of(loaded, left).await?;
            let machine_lost = self.has_lost_machine(loaded, &source).await?;
            if self.changes_machine(loaded, &source, left, machine_lost)? {
                // Other containers may have started since the crash, or the session closed.
                let idle = self.quotas.find_idle(loaded).await?;
                self.quotas.check_running_quota(loaded, &idle, Some(id))?;
                return self.replace_container(loaded, &source, left, &Abort::default()).await;
            }
            Err(Error::new(ErrorCode::WorkspaceLost, "the container has ended"))
        };
        match redone.await {
            Ok(()) => Ok("rewound"),
            Err(error) if error.code == ErrorCode::Unavailable => Err(error),
            Err(error) => {
                self.return_to_safety(loaded, left, error)?;
                Ok("as it was")
            }
        }
    }

    async fn source_of(&self, loaded: &LoadedSession, left: &Rewind) -> Result<Source> {
        let found = self.sources.find_head(loaded, &left.backup_id).await?;
        let own = self.context.catalogue.snapshot(&left.backup_id)?.is_some();
        let Stored { handle, binding, machine, .. } = found;
        Ok(Source { handle, binding, own, turn: None, machine })
    }
}
