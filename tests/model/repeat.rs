//! Calls that are repeated with their key.

use crate::calls::{Done, rendered};
use crate::model::{Keyed, Model};
use crate::script::Call;
use snapshotter::domain::snapshot::SnapshotState;
use snapshotter::domain::workspace::WorkspaceState;
use snapshotter::session::catalogue::RewindState;

/// Keys are known for 24 hours.
const KNOWN_FOR_MS: i64 = 23 * 3_600_000;

impl Model {
    /// Makes a call that can be repeated, and remembers its result.
    pub fn play_keyed(&mut self, session: usize, call: &Call) -> Result<(), String> {
        let before = self.look(session);
        let last_rewind = self.sessions[session].last_rewind;
        let mut made = [self.choose(session, call)];
        made[0].key = Some(format!("key-{}-{}", before.changes, self.now_ms()));
        self.make(session, &mut made)?;
        self.check(session, &made)?;
        let [made] = made;
        let known = &mut self.sessions[session];
        let snapshots = known.seen.snapshots.keys();
        let workspaces = known.seen.workspaces.keys();
        known.keyed = Some(Keyed {
            made,
            at_ms: self.world.clock.0.get(),
            snapshots: snapshots
                .filter(|id| !before.snapshots.contains_key(*id))
                .cloned()
                .collect(),
            workspaces: workspaces
                .filter(|id| !before.workspaces.contains_key(*id))
                .cloned()
                .collect(),
            rewinds: (last_rewind + 1..=known.last_rewind).collect(),
        });
        Ok(())
    }

    /// Makes the call again. Checks that a known answer repeats and nothing changes, and
    /// that the call is done again only if nothing of it is left.
    pub fn repeat(&mut self, session: usize) -> Result<(), String> {
        let keyed = self.sessions[session].keyed.clone();
        let Some(keyed) = keyed.filter(|keyed| keyed.at_ms + KNOWN_FOR_MS > self.now_ms()) else {
            return self.check(session, &[]);
        };
        let left = self.left_of(session, &keyed);
        let mut made = [keyed.made.clone()];
        made[0].answer = None;
        self.make(session, &mut made)?;
        match &made[0].answer {
            Some(Ok(Done::Known(known))) => {
                if let (Some(Ok(first)), Some(again)) = (&keyed.made.answer, known) {
                    let first = rendered(first);
                    ensure!(
                        again.as_ref().ok() == Some(&first),
                        "repeated, it answers {again:?} instead of {first}"
                    );
                }
                // The repetition did nothing, so check it like a list.
                made[0] = self.choose(session, &Call::List { cross: false });
                made[0].answer = Some(Ok(Done::Nothing));
            }
            Some(Ok(_)) => {
                ensure!(left.is_empty(), "it was done again, and {left:?} is there from before");
                let first = &keyed.made.answer;
                ensure!(!matches!(first, Some(Ok(_))), "it was done, and done again");
            }
            _ => {}
        }
        self.check(session, &made)
    }

    /// What is left of an earlier call.
    fn left_of(&self, session: usize, keyed: &Keyed) -> Vec<String> {
        let catalogue = self.world.catalogue(session);
        let is_there = |state| matches!(state, SnapshotState::Ready | SnapshotState::Pending);
        let snapshots = keyed
            .snapshots
            .iter()
            .filter(|_| matches!(keyed.made.call, Call::Snapshot { .. }))
            .filter(|id| catalogue.snapshot(id).unwrap().is_some_and(|row| is_there(row.state)));
        let workspaces = keyed.workspaces.iter().filter(|id| {
            let row = catalogue.workspace(id).unwrap();
            row.is_some_and(|row| row.state == WorkspaceState::Ready)
        });
        let rewinds = keyed.rewinds.iter().filter(|seq| {
            let row = catalogue.rewind(**seq).unwrap();
            row.is_some_and(|row| row.state != RewindState::Undone)
        });
        snapshots
            .map(ToString::to_string)
            .chain(workspaces.map(ToString::to_string))
            .chain(rewinds.map(|seq| format!("rewind {seq}")))
            .collect()
    }
}
