//! Finish a rewind that a crash cut off, and say what became of one.

use crate::domain::error::{ErrorCode, Outcome, Result};
use crate::domain::json::render;
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::domain::workspace::WorkspaceState;
use crate::session::Host;
use crate::session::calls::recover::interrupted;
use crate::session::catalogue::{Rewind, RewindState};
use crate::session::workspaces::make::Source;
use crate::session::workspaces::rewind::Rewound;
use serde_json::Value;

impl Host {
    /// Finishes a rewind whose caller never learned what became of it, from its
    /// start: the same snapshot gives the same files. Without the container that
    /// had the files it is given up, and where the snapshot can't be applied:
    /// the workspace then has what it has. Says which.
    ///
    /// # Errors
    /// Where neither is known: it is to be called again.
    pub(crate) async fn complete_rewind(&self, left: &Rewind) -> Result<&'static str> {
        let id = &left.sandbox_id;
        let _exclusive = self.locks.exclusive(id).await;
        let ended = self.catalogue.rewind(left.seq)?;
        match ended.map(|rewind| rewind.state) {
            Some(RewindState::Running) => {}
            // Another caller has just done it.
            Some(RewindState::Done) => return Ok("rewound"),
            _ => return Ok("as it was"),
        }
        let _working = self.work_on(id.as_str());
        let loaded = self.load()?;
        let active = match self.catalogue.workspace(id)? {
            Some(row) if row.state == WorkspaceState::Ready => self.has_files(id).await?,
            _ => None,
        };
        let Some(active) = active else {
            self.catalogue.end_rewind(left.seq, RewindState::Undone)?;
            return Ok("as it was");
        };
        let redone = async {
            let found = self.find_head(&loaded, &left.backup_id).await?;
            let own = self.catalogue.snapshot(&left.backup_id)?.is_some();
            let source = Source { handle: found.handle, binding: found.binding, own };
            self.replace(&loaded, &active, &source, left).await
        };
        match redone.await {
            Ok(_ended) => {
                self.catalogue.forget_retry(id.as_str())?;
                Ok("rewound")
            }
            Err(error)
                if error.outcome == Outcome::None && error.code != ErrorCode::Unavailable
                    || error.code == ErrorCode::WorkspaceLost =>
            {
                // What its disk has may be what its head lacks.
                self.catalogue.forget_retry(id.as_str())?;
                self.catalogue.set_saved_at(id, 0)?;
                self.catalogue.end_rewind(left.seq, RewindState::Undone)?;
                Ok("as it was")
            }
            Err(error) => Err(error),
        }
    }

    /// What a recorded call that rewound would have answered; none while that
    /// is being recovered. Which processes were ended, only its own answer knew.
    pub(crate) fn rewind_holds(&self, seq: i64) -> Result<Option<Result<Value>>> {
        let Some(rewind) = self.catalogue.rewind(seq)? else {
            let error = interrupted("its rewind is not recorded any more");
            return Ok(Some(Err(error.with_outcome(Outcome::Unknown))));
        };
        Ok(match rewind.state {
            RewindState::Running => None,
            RewindState::Undone => {
                Some(Err(interrupted("the workspace was not rewound, and is as it was")))
            }
            RewindState::Done => {
                let rewound = Rewound {
                    r#ref: WorkspaceRef::new(rewind.sandbox_id),
                    from_snapshot_id: rewind.backup_id,
                    safety_ref: self.require_snapshot(&rewind.safety_id)?.to_ref(),
                    ended_processes: Vec::new(),
                    woken: None,
                };
                Some(render(&rewound))
            }
        })
    }
}
