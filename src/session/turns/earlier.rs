//! Tell a session that was opened from one of this session's snapshots about earlier turns.

use crate::domain::{Result, SnapshotState, TurnAnswer, TurnRequest};
use crate::session::Session;
use crate::session::parts::Context;

parts!(EarlierTurn { context: Context });

impl Session {
    /// Finds a turn for a session that was opened from one of this session's snapshots.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails.
    pub fn earlier_turn(&self, request: &TurnRequest) -> Result<TurnAnswer> {
        EarlierTurn::from(self).find(request)
    }
}

impl EarlierTurn<'_> {
    fn find(&self, request: &TurnRequest) -> Result<TurnAnswer> {
        let now_ms = self.context.now_ms();
        let Some(row) = self.context.catalogue.turn_at(&request.turn, now_ms)? else {
            return Ok(TurnAnswer::default());
        };
        let snapshot = self.context.catalogue.snapshot(&row.snapshot_id)?.filter(|row| {
            row.state == SnapshotState::Ready
                && row.binding == request.binding
                && row.created_at_ms <= request.until_ms
                && (request.crosses || row.published)
        });
        Ok(TurnAnswer { snapshot_id: snapshot.map(|snapshot| snapshot.id) })
    }
}
