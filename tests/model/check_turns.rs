//! Turns: each has a snapshot, and none that was answered is lost before that.

use crate::calls::{Done, Made};
use crate::check::Check;
use crate::model::{Model, Seen};
use crate::script::Call;
use snapshotter::domain::snapshot::SnapshotState;
use std::collections::BTreeMap;

impl Model {
    pub fn check_turns(&self, session: usize, made: &[Made], after: &Seen) -> Check {
        let rows = self.world.catalogue(session).turns(None, 1_000).unwrap();
        let state = |row| after.snapshots.get(row).map(|snapshot| snapshot.state);
        for row in &rows {
            let (number, id) = (row.turn.number, &row.snapshot_id);
            ensure!(state(id) == Some(SnapshotState::Ready), "turn {number} lacks {id}");
            let carried = after.snapshots[id].cause.turn.as_ref().map(|turn| turn.number);
            ensure!(carried >= Some(number), "{id} carries {carried:?}, not turn {number}");
        }
        let by_number: BTreeMap<u64, _> =
            rows.iter().map(|row| (row.turn.number, &row.snapshot_id)).collect();
        for one in made {
            let (Call::Snapshot { turn: true, .. }, Some(Ok(Done::Snapshot(view)))) =
                (&one.call, &one.answer)
            else {
                continue;
            };
            let Some(turn) = &view.snapshot.cause.turn else {
                return Err("a turn has no number".into());
            };
            let id = &view.snapshot.id;
            let is_gone = state(id) != Some(SnapshotState::Ready);
            // A later turn of the same step may have shown itself in the answer.
            let found = by_number.get(&turn.number);
            ensure!(is_gone || found == Some(&id), "turn {} is not {id}", turn.number);
        }
        Ok(())
    }
}
