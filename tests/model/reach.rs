//! Which snapshot a call reaches.

use crate::calls::Made;
use crate::model::{Model, Reached};
use crate::script::Call;
use crate::world::SESSIONS;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::domain::snapshot::{Snapshot, SnapshotState};

/// The session that owns a backup.
pub fn owner(meta: &BackupMeta) -> Option<usize> {
    let ours = meta.snapshotter.as_ref()?;
    SESSIONS.iter().position(|name| *name == ours.session_id.as_str())
}

impl Model {
    /// Which snapshot a caller reaches, by the rules of ownership.
    pub fn reach(&self, session: usize, made: &Made) -> Result<Reached, ErrorCode> {
        let (Call::Get { cross, .. }
        | Call::Fork { cross, .. }
        | Call::Rewind { cross, .. }
        | Call::Delete { cross, .. }) = made.call
        else {
            return self.reach_by(session, made, false);
        };
        self.reach_by(session, made, cross)
    }

    /// The same for calls that reach no other session's.
    pub fn own(&self, session: usize, made: &Made) -> Result<BackupId, ErrorCode> {
        match self.reach(session, made)? {
            Reached::Own(id) => Ok(id),
            Reached::Foreign(..) => Err(ErrorCode::SnapshotNotOwned),
        }
    }

    fn reach_by(&self, session: usize, made: &Made, cross: bool) -> Result<Reached, ErrorCode> {
        if cross && session != 1 {
            return Err(ErrorCode::CrossSessionDisabled);
        }
        let rows = &self.sessions[session].seen.snapshots;
        let (id, origin) = match made.selector.as_ref().unwrap() {
            SnapshotSelector::Ref(named) => {
                let payload = &named.payload;
                (payload.backup.id.clone(), Some(payload.origin_sandbox_id.clone()))
            }
            SnapshotSelector::Id(id) => (id.clone(), None),
            SnapshotSelector::Name(name) => {
                let last = || {
                    let named =
                        rows.values().filter(|row| row.annotations.name.as_ref() == Some(name));
                    named.max_by_key(|row| row.seq).map(|row| row.id.clone())
                };
                let held = self.holders(session, name).into_iter().next().or_else(last);
                return held.map(Reached::Own).ok_or(ErrorCode::NotFound);
            }
            SnapshotSelector::Turn(_) | SnapshotSelector::Latest | SnapshotSelector::Head => {
                unreachable!("the model names no such snapshot")
            }
        };
        if let Some(row) = rows.get(&id) {
            let matches =
                origin.is_none_or(|origin| origin.as_ref() == Some(&row.origin_sandbox_id));
            return if matches { Ok(Reached::Own(id)) } else { Err(ErrorCode::SnapshotNotOwned) };
        }
        let meta = self.meta(&id);
        let published = meta
            .as_ref()
            .and_then(|meta| meta.snapshotter.as_ref())
            .is_some_and(|ours| ours.published);
        // A session does not claim its own lost snapshot from itself.
        let claims = matches!(made.call, Call::Fork { .. } | Call::Rewind { .. })
            && published
            && meta.as_ref().and_then(owner) != Some(session);
        if !cross && !claims {
            return Err(ErrorCode::SnapshotNotOwned);
        }
        if let (Some(meta), Some(origin)) = (&meta, origin) {
            let recorded = meta.snapshotter.as_ref().map(|ours| ours.origin_sandbox_id.clone());
            if recorded != origin {
                return Err(ErrorCode::SnapshotNotOwned);
            }
        }
        Ok(Reached::Foreign(id, meta.map(Box::new)))
    }

    /// The holders of a name: a ready snapshot comes before one that is being taken.
    pub fn holders(&self, session: usize, name: &str) -> Vec<BackupId> {
        let rows = self.sessions[session].seen.snapshots.values();
        let mut held: Vec<&Snapshot> = rows
            .filter(|row| row.annotations.name.as_deref() == Some(name))
            .filter(|row| match row.state {
                SnapshotState::Pending => true,
                SnapshotState::Ready => !self.is_expired(row),
                _ => false,
            })
            .collect();
        held.sort_by_key(|row| (row.state != SnapshotState::Ready, -row.seq));
        held.into_iter().map(|row| row.id.clone()).collect()
    }
}
