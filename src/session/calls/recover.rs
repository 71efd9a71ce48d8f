//! End the recorded calls that a restart interrupted, from the state they left.

use crate::domain::call::subject::{CallKind, Subject};
use crate::domain::call::{OperationState, RecordedCall};
use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::ids::{BackupId, SandboxId};
use crate::domain::json::render;
use crate::domain::snapshot::SnapshotState;
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::domain::workspace::WorkspaceState;
use crate::ports::log::{Level, LogLine};
use crate::session::SnapshotView;
use crate::session::calls::running::Calls;
use serde_json::{Value, json};

impl Calls {
    /// Ends every call that a restart interrupted, once its outcome is known.
    pub(crate) fn recover_calls(&self) -> Result<()> {
        for left in self.context.catalogue.running_operations()? {
            if self.running(&left.id).is_some() {
                continue;
            }
            if let Some(answer) = self.what_holds(&left)? {
                let state = match answer {
                    Ok(_) => OperationState::Succeeded,
                    Err(_) => OperationState::Interrupted,
                };
                self.end_operation(&left.id, state, &answer)?;
            }
        }
        Ok(())
    }

    /// The result that an interrupted call would have returned, from the state it
    /// left. None while that state is being recovered.
    pub(crate) fn what_holds(&self, left: &RecordedCall) -> Result<Option<Result<Value>>> {
        let subject = match left.subject() {
            // A call records its subject before its first effect.
            Ok(None) if CallKind::of(&left.op).is_some() => {
                return Ok(Some(Err(interrupted("nothing was begun"))));
            }
            Ok(subject) => subject,
            Err(unknown) => {
                self.note_unknown(left, &unknown);
                None
            }
        };
        Ok(match subject {
            Some(Subject::Snapshot(id)) => self.snapshot_holds(&id)?,
            Some(Subject::Workspace(id)) => self.workspace_holds(left, &id)?,
            Some(Subject::Workspaces(ids)) => self.context.workspaces_hold(&ids)?,
            Some(Subject::Rewind(seq)) => self.context.rewind_holds(seq)?,
            Some(Subject::Pause(id)) => Some(self.context.pause_holds(&id)?),
            Some(Subject::Resume(id)) => Some(self.context.resume_holds(&id)?),
            None => {
                let step = left.step.as_deref().unwrap_or("what it had begun may be done");
                let error = interrupted(step).with_outcome(Outcome::Unknown);
                Some(Err(error.with_hint("look at what holds now")))
            }
        })
    }

    /// Logs a subject that another version recorded; other calls are still recovered.
    fn note_unknown(&self, left: &RecordedCall, error: &Error) {
        self.context.ports.log.write(LogLine::new(
            Level::Warn,
            "operation.unknown_subject",
            json!({ "session": self.context.session, "operationId": left.id, "cause": error.cause }),
        ));
    }

    fn snapshot_holds(&self, id: &BackupId) -> Result<Option<Result<Value>>> {
        let snapshot = self.context.catalogue.snapshot(id)?;
        Ok(match snapshot {
            Some(row) if row.state == SnapshotState::Pending => None,
            Some(row) if row.state == SnapshotState::Ready => {
                Some(render(&SnapshotView::of(&row, self.context.now_ms())))
            }
            Some(_) => {
                Some(Err(interrupted("the snapshot was not taken, and nothing is left of it")))
            }
            None => {
                Some(Err(interrupted("its snapshot is not recorded any more")
                    .with_outcome(Outcome::Unknown)))
            }
        })
    }

    fn workspace_holds(
        &self,
        left: &RecordedCall,
        id: &SandboxId,
    ) -> Result<Option<Result<Value>>> {
        let Some(row) = self.context.catalogue.workspace(id)? else { return Ok(None) };
        Ok(match row.state {
            WorkspaceState::Creating | WorkspaceState::Destroying => None,
            WorkspaceState::Destroyed => {
                Some(Err(interrupted("the workspace was not made, and nothing is left of it")))
            }
            WorkspaceState::Ready => {
                let switches = left.op.starts_with("workspace_");
                let active = self.context.load()?.row.active_sandbox_id == *id;
                if active || !switches {
                    Some(render(&json!({ "ref": WorkspaceRef::new(id.clone()) })))
                } else {
                    let error = interrupted("the workspace was made, and is not the active one")
                        .with_outcome(Outcome::Committed)
                        .with_hint("switch to it with workspace_switch")
                        .with_details(json!({ "ref": WorkspaceRef::new(id.clone()) }));
                    Some(Err(error))
                }
            }
        })
    }
}

pub(crate) fn interrupted(what_holds: &str) -> Error {
    Error::new(ErrorCode::Interrupted, format!("it was interrupted: {what_holds}"))
}
