//! A session whose object loses its storage, and begins again.

use crate::calls::Made;
use crate::check::{Had, had};
use crate::model::{Model, Session};
use crate::script::Call;
use crate::world::SESSIONS;
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::snapshot::SnapshotState;
use snapshotter::domain::snapshot::selector::SnapshotSelector;

impl Model {
    /// Empties a session's storage and opens the session again. Perhaps opens it with
    /// a snapshot that the other one published, and perhaps rebuilds it.
    pub fn lose(&mut self, session: usize, claims: bool, rebuilds: bool) -> Result<(), String> {
        self.world.lose(session, &self.sessions[session].ever);
        self.forget(session);
        let published = claims.then(|| self.published(1 - session)).flatten();
        let mut open = [self.choose(session, &Call::Open { destroy_on_close: false })];
        open[0].from = published.clone().map(SnapshotSelector::Id);
        self.make(session, &mut open)?;
        if let Some(id) = &published {
            self.check_claimed(session, id, &open[0])?;
        }
        if self.world.catalogue(session).session().unwrap().is_none() {
            self.world.runtime.begin(0, None, false);
            open = [self.choose(session, &Call::Open { destroy_on_close: false })];
            self.make(session, &mut open)?;
            ensure!(had(&open[0]) == Had::Yes, "it can't be opened: {:?}", open[0].answer);
        }
        self.sessions[session].seen = self.look(session);
        self.check(session, &[])?;
        if !rebuilds {
            return Ok(());
        }
        let mut rebuild = [self.choose(session, &Call::Rebuild)];
        self.make(session, &mut rebuild)?;
        self.check(session, &rebuild)
    }

    /// Reduces the model's memory of a session that has lost everything.
    fn forget(&mut self, session: usize) {
        let known = std::mem::take(&mut self.sessions[session]);
        let mut lost = known.lost;
        lost.extend(known.seen.snapshots);
        let mut lost_workspaces = known.lost_workspaces;
        lost_workspaces.extend(known.ever);
        self.sessions[session] = Session {
            ever: vec![SandboxId::parse(SESSIONS[session]).unwrap()],
            contents: known.contents,
            crossed: known.crossed,
            lost,
            lost_workspaces,
            ..Session::default()
        };
        self.loses = true;
    }

    /// A snapshot of a session that others may claim.
    fn published(&self, owner: usize) -> Option<BackupId> {
        let rows = self.sessions[owner].seen.snapshots.values();
        rows.filter(|row| row.published).map(|row| row.id.clone()).next()
    }

    /// Checks that a first workspace has the files of the snapshot it was claimed from.
    fn check_claimed(&self, session: usize, from: &BackupId, open: &Made) -> Result<(), String> {
        let row = &self.sessions[1 - session].seen.snapshots[from];
        let published = self.meta(from).and_then(|meta| meta.snapshotter);
        let lent = row.state == SnapshotState::Ready
            && !self.is_expired(row)
            && published.is_some_and(|ours| ours.published);
        if !self.world.runtime.struck() && self.world.runtime.is_idle() {
            let opened = had(open) == Had::Yes;
            ensure!(opened == lent, "opened with {row:?}, it answers {:?}", open.answer);
        }
        if had(open) == Had::Yes {
            let first = SandboxId::parse(SESSIONS[session]).unwrap();
            let first = self.world.catalogue(session).workspace(&first).unwrap().unwrap();
            let begun = (first.head_backup_id.as_ref(), first.from_backup_id.as_ref());
            ensure!(begun == (Some(from), Some(from)), "it began with {first:?}");
        }
        Ok(())
    }
}
