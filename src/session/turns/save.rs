//! Save the active workspace at the end of a turn.

use crate::domain::snapshot::turn::check_label;
use crate::domain::{Result, TurnCursor, WorkspaceRef};
use crate::session::snapshots::take::{Take, TurnEnd};
use crate::session::{Abort, Session, SnapshotRequest, SnapshotView};

/// A turn to save.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SaveTurnRequest {
    /// The place in the conversation.
    pub cursor: Option<TurnCursor>,
    /// What the caller calls the turn.
    pub label: Option<String>,
    /// The workspace whose turn ends. Refused if another one is active.
    pub expected_active: Option<WorkspaceRef>,
}

impl Session {
    /// Records that a turn has ended: its place in the conversation, and the active
    /// workspace's files. They are saved if they have changed since the last save, as a
    /// layer if they can be.
    ///
    /// # Errors
    /// Those of a snapshot; `INVALID_ARGUMENT` for a cursor or a label.
    pub async fn save_turn(&self, request: SaveTurnRequest, abort: &Abort) -> Result<SnapshotView> {
        let SaveTurnRequest { cursor, label, expected_active } = request;
        cursor.as_ref().map_or(Ok(()), TurnCursor::check)?;
        label.as_deref().map_or(Ok(()), check_label)?;
        let saved = SnapshotRequest {
            incremental: Some(true),
            expected_active,
            ..SnapshotRequest::default()
        };
        Take::from(self).snapshot(saved, Some(TurnEnd { cursor, label }), abort).await
    }
}
