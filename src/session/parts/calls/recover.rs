//! End the recorded calls that a restart interrupted. The state of a call's subject decides its
//! result. While that state is being recovered, the call is still running.

use crate::domain::json::render;
use crate::domain::{
    BackupId, Error, ErrorCode, Next, OperationState, Outcome, RecordedCall, Result, SandboxId,
    SnapshotState, Subject, Turn, Workspace, WorkspaceRef, WorkspaceState, WorkspaceStatus,
};
use crate::ports::{Level, LogLine};
use crate::session::catalogue::{Rewind, RewindState};
use crate::session::parts::results::{LiveFork, LiveForks, Paused, Resumed};
use crate::session::parts::snapshots::get::SnapshotView;
use crate::session::parts::{Calls, MadeWorkspace, Rewound};
use serde_json::{Value, json};

/// The result that a call's subject shows. None while the subject is being recovered.
type Shown = Option<Result<Value>>;

impl Calls {
    pub(crate) fn recover_calls(&self) -> Result<()> {
        for left in self.context.catalogue.running_operations()? {
            if self.running(&left.id).is_some() {
                continue;
            }
            if let Some(answer) = self.result_of(&left)? {
                let state = match answer {
                    Ok(_) => OperationState::Succeeded,
                    Err(_) => OperationState::Interrupted,
                };
                self.end_operation(&left.id, state, &answer)?;
            }
        }
        Ok(())
    }

    pub(crate) fn result_of(&self, left: &RecordedCall) -> Result<Shown> {
        let subject = left.subject().unwrap_or_else(|unknown| {
            self.log_unknown(left, &unknown);
            None
        });
        match subject {
            Some(Subject::Nothing) => undone("nothing was begun"),
            Some(Subject::Snapshot(id)) => match self.context.catalogue.snapshot(&id)? {
                None => unknown("its snapshot is not recorded any more"),
                Some(row) => match row.state {
                    SnapshotState::Pending => Ok(None),
                    SnapshotState::Ready => {
                        done(render(&SnapshotView::of(&row, self.context.now_ms())))
                    }
                    _ => undone("the snapshot was not taken, and nothing is left of it"),
                },
            },
            Some(Subject::Made(id)) => match self.context.catalogue.workspace(&id)? {
                None => Ok(None),
                Some(row) => match row.state {
                    WorkspaceState::Creating | WorkspaceState::Destroying => Ok(None),
                    WorkspaceState::Destroyed => undone(NOT_MADE),
                    WorkspaceState::Ready => self.made(left, &row),
                },
            },
            Some(Subject::Forked(ids)) => self.forked(&ids),
            Some(Subject::Rewind(seq)) => match self.context.catalogue.rewind(seq)? {
                None => unknown("its rewind is not recorded any more"),
                Some(rewind) => match rewind.state {
                    RewindState::Running => Ok(None),
                    RewindState::Undone => {
                        undone("the workspace was not rewound, and is as it was")
                    }
                    RewindState::Done if left.op.ends_with("promote") => Ok(promoted(&rewind)),
                    RewindState::Done => done(render(&Rewound {
                        r#ref: WorkspaceRef::new(rewind.sandbox_id),
                        turn: self.turn_of(&rewind.backup_id)?,
                        from_snapshot_id: rewind.backup_id,
                        undone: None,
                        safety_ref: Some(
                            self.context.require_snapshot(&rewind.safety_id)?.to_ref(),
                        ),
                        dry_run: false,
                        changes: None,
                        // The catalogue does not record them.
                        ended_processes: Vec::new(),
                        machine_lost: false,
                        ended_background: Vec::new(),
                        restarted: Vec::new(),
                        hint: None,
                        woken: None,
                    })),
                },
            },
            Some(Subject::Paused(id)) => match self.context.usable(&id) {
                Err(_destroyed) => undone(DESTROYED),
                Ok(row) if row.paused_at_ms.is_none() => {
                    undone("the workspace was not paused, and is as it was")
                }
                Ok(row) => {
                    let active = self.is_active(&row)?;
                    let workspace = row.summary(active, WorkspaceStatus::Paused);
                    done(render(&Paused { workspace }))
                }
            },
            Some(Subject::Resumed(id)) => match self.context.usable(&id) {
                Err(_destroyed) => undone(DESTROYED),
                Ok(row) if row.paused_at_ms.is_some() => undone("the workspace is still paused"),
                Ok(row) => {
                    let active = self.is_active(&row)?;
                    let workspace = row.summary(active, WorkspaceStatus::Running);
                    done(render(&Resumed { workspace, woken: None }))
                }
            },
            None => {
                unknown(left.step.as_deref().unwrap_or("the step that it had begun may be done"))
            }
        }
    }

    /// A tool that makes a workspace also switches to it.
    fn made(&self, left: &RecordedCall, row: &Workspace) -> Result<Shown> {
        let from = row.from_backup_id.as_ref();
        let turn = from.map(|id| self.turn_of(id)).transpose()?.flatten();
        let made = MadeWorkspace { r#ref: row.to_ref(), turn, machine_lost: false };
        let made = render(&made)?;
        if !left.op.starts_with("workspace_") || self.is_active(row)? {
            return done(Ok(made));
        }
        let error = interrupted("the workspace was made, and is not the active one")
            .with_outcome(Outcome::Committed)
            .with_hint(Next::Switch)
            .with_details(made);
        Ok(Some(Err(error)))
    }

    fn forked(&self, ids: &[SandboxId]) -> Result<Shown> {
        let mut from_snapshot_id = None;
        let mut workspaces = Vec::new();
        for id in ids {
            workspaces.push(match self.context.catalogue.workspace(id)? {
                None => LiveFork::failed(&interrupted("the workspace was not created")),
                Some(row) => match row.state {
                    WorkspaceState::Creating | WorkspaceState::Destroying => return Ok(None),
                    WorkspaceState::Destroyed => LiveFork::failed(&interrupted(NOT_MADE)),
                    WorkspaceState::Ready => {
                        from_snapshot_id.clone_from(&row.from_backup_id);
                        LiveFork::Made { r#ref: row.to_ref() }
                    }
                },
            });
        }
        match from_snapshot_id {
            None => undone("no workspace was made"),
            Some(from_snapshot_id) => {
                let turn = self.turn_of(&from_snapshot_id)?;
                done(render(&LiveForks { from_snapshot_id, turn, workspaces, woken: None }))
            }
        }
    }

    fn turn_of(&self, id: &BackupId) -> Result<Option<Turn>> {
        Ok(self.context.catalogue.snapshot(id)?.and_then(|snapshot| snapshot.cause.turn))
    }

    fn is_active(&self, row: &Workspace) -> Result<bool> {
        Ok(self.context.load()?.row.active_sandbox_id == row.sandbox_id)
    }

    /// Logs a subject that another version recorded; other calls are still recovered.
    fn log_unknown(&self, left: &RecordedCall, error: &Error) {
        self.context.ports.log.write(LogLine::new(
            Level::Warn,
            "operation.unknown_subject",
            json!({ "session": self.context.session, "operationId": left.id, "cause": error.cause }),
        ));
    }
}

const NOT_MADE: &str = "the workspace was not made, and nothing is left of it";
const DESTROYED: &str = "the workspace has been destroyed since";

/// A promotion that replaces is recorded as its rewind, which says nothing of the other branches.
fn promoted(rewind: &Rewind) -> Shown {
    let (from, safety) = (&rewind.backup_id, &rewind.safety_id);
    let error = interrupted("the files were brought over")
        .with_outcome(Outcome::Committed)
        .with_hint("if discardOthers was set, some of the other branches may be left")
        .with_details(json!({ "fromSnapshotId": from, "safetySnapshotId": safety }));
    Some(Err(error))
}

fn done(answer: Result<Value>) -> Result<Shown> {
    answer.map(|value| Some(Ok(value)))
}

fn undone(state: &str) -> Result<Shown> {
    Ok(Some(Err(interrupted(state))))
}

fn unknown(state: &str) -> Result<Shown> {
    let error = interrupted(state).with_outcome(Outcome::Unknown);
    Ok(Some(Err(error.with_hint("check the current state"))))
}

fn interrupted(state: &str) -> Error {
    Error::new(ErrorCode::Interrupted, format!("it was interrupted: {state}"))
}
