//! Put the active workspace back by turns.

use crate::domain::limits::UNDO_MAX_TURNS;
use crate::domain::{
    BackupId, Error, ErrorCode, Next, Result, SandboxId, SnapshotSelector, WorkspaceRef,
};
use crate::session::parts::results::Undone;
use crate::session::parts::{Context, LoadedSession, Rewound};
use crate::session::trees::Trees;
use crate::session::{Abort, RewindRequest, Session};
use serde_json::json;

/// A request to undo turns.
#[derive(Debug, Clone, PartialEq)]
pub struct UndoRequest {
    /// How many turns to undo.
    pub turns: u32,
    /// Only while this is the workspace's head.
    pub expected_head: Option<BackupId>,
    /// Only while this workspace is the active one.
    pub expected_active: Option<WorkspaceRef>,
    /// Change nothing, and answer what would change.
    pub dry_run: bool,
}

/// Decides where an undo goes.
struct Undo<'a> {
    context: &'a Context,
    trees: Trees<'a>,
}

impl Session {
    /// Puts the active workspace back by turns: a rewind to the files before the last turns.
    ///
    /// Files that have changed since the last turn count as a turn that has not ended: the first
    /// undo goes back to the last turn's end. Turns that changed no file do not count. Only changes
    /// that a comparison lists count.
    ///
    /// # Errors
    /// `NOT_FOUND` if fewer turns can be undone; those of a rewind.
    pub async fn undo(&self, request: &UndoRequest, abort: &Abort) -> Result<Rewound> {
        if !(1..=UNDO_MAX_TURNS).contains(&request.turns) {
            return Err(Error::invalid("turns", format!("must be 1 to {UNDO_MAX_TURNS}")));
        }
        let undo = Undo { context: &self.context, trees: Trees::from(self) };
        let (to, undone) = undo.target(request).await?;
        let rewind = RewindRequest {
            r#ref: SnapshotSelector::Id(to),
            expected_head: request.expected_head.clone(),
            allow_cross_session: false,
            expected_active: request.expected_active.clone(),
            dry_run: request.dry_run,
        };
        let rewound = self.rewind(&rewind, abort).await?;
        Ok(Rewound { undone: Some(undone), ..rewound })
    }
}

impl Undo<'_> {
    /// The snapshot to rewind to, and what that undoes.
    async fn target(&self, request: &UndoRequest) -> Result<(BackupId, Undone)> {
        let open = self.context.require_open()?;
        open.require_snapshots()?;
        open.expect_active(request.expected_active.as_ref())?;
        let id = &open.row.active_sandbox_id;
        let mut undone = Undone::default();
        let Some(mut to) = self.context.catalogue.last_turn_of(id)? else {
            return Err(nothing_before(&undone, request.turns));
        };
        if self.has_changed(&open, id, &to).await? {
            undone.unsaved = true;
        }
        while undone.count() < request.turns {
            let Some(turn) = self.context.catalogue.turn_ending_with(&to)? else {
                return Err(nothing_before(&undone, request.turns));
            };
            let Some(before) = turn.before_id else {
                return Err(nothing_before(&undone, request.turns));
            };
            undone.turns.push(turn.turn.number);
            to = before;
        }
        Ok((to, undone))
    }

    /// Whether a comparison with the files of `base` lists anything.
    async fn has_changed(
        &self,
        open: &LoadedSession,
        id: &SandboxId,
        base: &BackupId,
    ) -> Result<bool> {
        match self.trees.has_changed_since(open, id, base).await {
            // The undo can't go back to this turn, but it can go back to earlier ones.
            Err(error) if error.code == ErrorCode::SnapshotGone => Ok(false),
            Err(error) if error.code == ErrorCode::TooLarge => Ok(true),
            found => found,
        }
    }
}

fn nothing_before(undone: &Undone, asked: u32) -> Error {
    let most = undone.count();
    let message = match most {
        0 => "there is no turn to undo".to_owned(),
        _ => format!("only {most} of {asked} turns can be undone: nothing was saved before them"),
    };
    Error::new(ErrorCode::NotFound, message)
        .with_hint(Next::ListNames)
        .with_details(json!({ "turns": most }))
}
