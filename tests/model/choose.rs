//! Chooses the snapshot or workspace that a step's numbers name now.

use crate::calls::{Made, name_of};
use crate::model::Model;
use crate::script::{Call, Which};
use crate::world::SESSIONS;
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::snapshot::refs::SnapshotRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;

impl Model {
    pub fn workspace(&self, session: usize, number: usize) -> SandboxId {
        let known = &self.sessions[session].ever;
        known.get(number % (known.len() + 1)).cloned().unwrap_or_else(|| {
            // A workspace of the other session, or of nobody.
            SandboxId::parse(SESSIONS[1 - session]).unwrap()
        })
    }

    pub fn choose(&self, session: usize, call: &Call) -> Made {
        let (selector, workspace) = match call {
            Call::Fork { which, .. }
            | Call::Rewind { which, .. }
            | Call::Get { which, .. }
            | Call::Flatten { which }
            | Call::Update { which, .. }
            | Call::Delete { which, .. } => (Some(self.selector(session, which)), None),
            Call::Switch { to: number }
            | Call::Destroy { workspace: number }
            | Call::DestroyContainer { workspace: number } => {
                (None, Some(self.workspace(session, *number)))
            }
            Call::Pause { workspace: Some(number) } | Call::Resume { workspace: Some(number) } => {
                (None, Some(self.workspace(session, *number)))
            }
            _ => (None, None),
        };
        let head = match call {
            Call::Rewind { from_head: Some(true), .. } => self.head(session),
            Call::Rewind { from_head: Some(false), .. } => Some(self.old.clone()),
            _ => None,
        };
        // Each later open repeats the `from` of the first.
        let opened = self.sessions[session].seen.session.as_ref();
        let from = opened.and_then(|row| row.config.from.clone());
        Made { call: call.clone(), selector, workspace, head, from, key: None, answer: None }
    }

    /// What the active workspace would wake from.
    pub fn head(&self, session: usize) -> Option<BackupId> {
        let seen = &self.sessions[session].seen;
        let active = &seen.session.as_ref()?.active_sandbox_id;
        seen.workspaces.get(active).and_then(|(row, _)| row.head_backup_id.clone())
    }

    pub fn selector(&self, session: usize, which: &Which) -> SnapshotSelector {
        let nobody = BackupId::from_random([0xee; 16]);
        let drawn = |of: usize, number: usize| {
            let known = &self.sessions[of];
            let lost =
                known.lost.values().filter(|row| !known.seen.snapshots.contains_key(&row.id));
            let rows: Vec<_> = known.seen.snapshots.values().chain(lost).collect();
            let row = (!rows.is_empty()).then(|| rows[number % rows.len()]);
            row.map(|row| row.to_ref())
        };
        let claimed = |found: Option<SnapshotRef>, origin: &str| {
            found.map(|mut found| {
                found.payload.origin_sandbox_id = Some(SandboxId::parse(origin).unwrap());
                SnapshotSelector::Ref(found)
            })
        };
        let found = match which {
            Which::Id(number) => {
                drawn(session, *number).map(|found| SnapshotSelector::Id(found.payload.backup.id))
            }
            Which::Ref(number) => drawn(session, *number).map(SnapshotSelector::Ref),
            Which::Name(number) => Some(SnapshotSelector::Name(name_of(*number))),
            Which::Head => self.head(session).map(SnapshotSelector::Id),
            Which::OtherOrigin(number) => claimed(drawn(session, *number), "someone-else"),
            Which::Foreign(number) => drawn(1 - session, *number).map(SnapshotSelector::Ref),
            Which::Claimed(number) => claimed(drawn(1 - session, *number), SESSIONS[session]),
            Which::Old => Some(SnapshotSelector::Id(self.old.clone())),
            Which::Unknown => None,
        };
        found.unwrap_or(SnapshotSelector::Id(nobody))
    }
}
