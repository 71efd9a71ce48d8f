//! The contract as a model: a session as it was seen last, and the answer that a
//! call must give when nothing breaks.

use crate::calls::Made;
use crate::files::Tree;
use crate::support::container::apply;
use crate::world::{SESSIONS, World};
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::snapshot::Snapshot;
use snapshotter::domain::snapshot::backup::{
    archive_key, data_key, held_key, machine_key, meta_key,
};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::domain::workspace::Workspace;
use snapshotter::ports::clock::Clock;
use snapshotter::session::catalogue::{Rewind, SessionRow, SnapshotFilter};
use std::collections::{BTreeMap, BTreeSet};

pub const MAX_RUNNING: usize = 2;
pub const MAX_WORKSPACES: usize = 3;

/// Where a workspace's files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// It was never used: it has no files, and that is no loss.
    Unused,
    Held(Vec<u8>),
    /// Its container has stopped: it wakes with its head's files.
    Asleep,
}

impl Files {
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Unused => Some(Vec::new()),
            Self::Held(bytes) => Some(bytes.clone()),
            Self::Asleep => None,
        }
    }
}

/// A session's rows, with the files on the disks of its workspaces.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Rows written until then.
    pub changes: u64,
    pub session: Option<SessionRow>,
    pub snapshots: BTreeMap<BackupId, Snapshot>,
    /// Workspaces that are not destroyed.
    pub workspaces: BTreeMap<SandboxId, (Workspace, Files)>,
    pub running: BTreeSet<SandboxId>,
    /// Paused workspaces that may have a container.
    pub unreleased: BTreeSet<SandboxId>,
    /// Rewinds that have not ended.
    pub rewinds: Vec<Rewind>,
}

/// What the model remembers of a session beside its rows.
#[derive(Debug, Default)]
pub struct Session {
    pub seen: Seen,
    /// Every workspace it ever had.
    pub ever: Vec<SandboxId>,
    /// What each archive may hold; one possibility once it is ready.
    pub contents: BTreeMap<BackupId, BTreeSet<Vec<u8>>>,
    /// Calls whose host stopped, as long as their work may still go on.
    pub left: Vec<Made>,
    /// Snapshots that a crossing was to delete.
    pub crossed: BTreeSet<BackupId>,
    /// Rewinds of the step that have, or may have, replaced files.
    pub rewinds: Vec<Rewind>,
    /// The newest rewind.
    pub last_rewind: i64,
    /// The states of each workspace since it was last known to equal its head.
    pub unsaved: BTreeMap<SandboxId, BTreeSet<Vec<u8>>>,
    /// The time since when each has had files that it would not wake with.
    pub unsaved_since_ms: BTreeMap<SandboxId, i64>,
    /// The last call that had a key.
    pub keyed: Option<Keyed>,
    /// Rows that its storage has lost, as they were last.
    pub lost: BTreeMap<BackupId, Snapshot>,
    /// Workspaces that it has lost.
    pub lost_workspaces: BTreeSet<SandboxId>,
    /// The newest event that was looked at.
    pub heard: i64,
}

/// A call that can be repeated.
#[derive(Debug, Clone)]
pub struct Keyed {
    pub made: Made,
    pub at_ms: i64,
    /// New since the call.
    pub snapshots: BTreeSet<BackupId>,
    pub workspaces: BTreeSet<SandboxId>,
    pub rewinds: Vec<i64>,
}

pub struct Model {
    pub world: World,
    pub sessions: Vec<Session>,
    /// The backup of 0.12, and its two objects as they must stay.
    pub old: BackupId,
    pub old_objects: Vec<(String, Vec<u8>)>,
    /// Containers that were stopped in this step.
    pub killed: BTreeSet<SandboxId>,
    /// Whether a session has lost its storage, and what it had lent or borrowed.
    pub loses: bool,
}

/// The snapshot that a call reaches.
pub enum Reached {
    Own(BackupId),
    Foreign(BackupId, Option<Box<BackupMeta>>),
}

impl Model {
    /// Two opened sessions, and a backup of 0.12 in the bucket.
    pub fn new(autosave: bool, machines: [bool; SESSIONS.len()]) -> Self {
        let world = World::new(autosave, machines);
        let old = BackupId::from_random([0x12; 16]);
        let bytes = Tree([("old".to_owned(), "0.12".to_owned())].into()).to_bytes();
        let meta = serde_json::json!({
            "id": old, "dir": "/workspace", "name": null, "sizeBytes": bytes.len(),
            "ttl": 315_360_000, "createdAt": "2026-11-01T00:00:00.000Z",
        });
        let old_objects =
            vec![(data_key(&old), bytes), (meta_key(&old), serde_json::to_vec(&meta).unwrap())];
        world.bucket.objects.borrow_mut().extend(old_objects.clone());
        let sessions = (0..SESSIONS.len()).map(|_| Session::default()).collect();
        let mut model =
            Self { world, sessions, old, old_objects, killed: BTreeSet::new(), loses: false };
        for (session, name) in SESSIONS.iter().enumerate() {
            let config =
                serde_json::from_value(crate::calls::config(&model.world, session, false)).unwrap();
            let host = model.world.host(session);
            futures::executor::block_on(host.open(config)).unwrap();
            model.sessions[session].ever.push(SandboxId::parse(name).unwrap());
            model.sessions[session].seen = model.look(session);
        }
        model
    }

    pub fn now_ms(&self) -> i64 {
        self.world.clock.now_ms()
    }

    /// The session as it is now.
    pub fn look(&self, session: usize) -> Seen {
        let changes = self.world.changes(session);
        let mut seen = self.sessions[session].seen.clone();
        if seen.changes != changes {
            seen = self.read(session);
            seen.changes = changes;
        }
        let running: BTreeSet<SandboxId> = self.world.running().into_iter().collect();
        seen.running = running.into_iter().filter(|id| seen.workspaces.contains_key(id)).collect();
        for (row, files) in seen.workspaces.values_mut() {
            *files = match (&row.instance_id, self.world.disk(&row.sandbox_id)) {
                // The workspace began with another session's files.
                (None, _) if row.head_backup_id.is_some() => Files::Asleep,
                (None, _) => Files::Unused,
                (Some(expected), Some(disk))
                    if disk.instance.as_deref() == Some(expected.as_str()) =>
                {
                    let machine = self.world.machines[session];
                    disk.content(machine).map_or(Files::Asleep, Files::Held)
                }
                (Some(_), _) => Files::Asleep,
            };
        }
        seen
    }

    fn read(&self, session: usize) -> Seen {
        let catalogue = self.world.catalogue(session);
        let all = SnapshotFilter {
            include_expired: true,
            include_unready: true,
            include_auto: true,
            ..SnapshotFilter::default()
        };
        let snapshots = catalogue.list_snapshots(&all, self.now_ms(), None, 10_000).unwrap();
        let workspaces = catalogue.live_workspaces().unwrap();
        let with_files = |row: Workspace| (row.sandbox_id.clone(), (row, Files::Unused));
        Seen {
            session: catalogue.session().unwrap(),
            snapshots: snapshots.into_iter().map(|row| (row.id.clone(), row)).collect(),
            workspaces: workspaces.into_iter().map(with_files).collect(),
            unreleased: catalogue.unreleased_workspaces().unwrap().into_iter().collect(),
            rewinds: catalogue.running_rewinds().unwrap(),
            ..Seen::default()
        }
    }

    pub fn is_over(&self, created_at_ms: i64, ttl_secs: u64) -> bool {
        self.now_ms() + 60_000 > created_at_ms + i64::try_from(ttl_secs).unwrap() * 1_000
    }

    pub fn is_expired(&self, row: &Snapshot) -> bool {
        !row.pinned && self.is_over(row.created_at_ms, row.ttl_secs)
    }

    pub fn object(&self, key: &str) -> Option<Vec<u8>> {
        self.world.bucket.objects.borrow().get(key).cloned()
    }

    /// What R2 holds of a backup, the machine and then the files; none unless all that it needs
    /// is there.
    pub fn stored(&self, id: &BackupId) -> Option<Vec<u8>> {
        let meta = self.meta(id)?;
        let mut files: Option<Vec<u8>> = None;
        for (part, kind) in meta.chain().archives() {
            let archive = self.object(&archive_key(&part.id, kind))?;
            files = Some(files.map_or_else(|| archive.clone(), |below| apply(&below, &archive)));
        }
        let archive = self.archive(&meta)?;
        let files = files.map_or_else(|| archive.clone(), |below| apply(&below, &archive));
        let Some(machine) = meta.machine() else { return Some(files) };
        Some([self.object(&machine_key(&machine.id))?, files].concat())
    }

    /// Contents as a session sees them: without the machine, if it does not persist that.
    pub fn seen_by(&self, session: usize, content: Vec<u8>) -> Vec<u8> {
        if self.world.machines[session] {
            return content;
        }
        Tree::from_bytes(&content).without_machine().to_bytes()
    }

    /// What a session restores of a backup.
    pub fn restored(&self, session: usize, id: &BackupId) -> Option<Vec<u8>> {
        self.stored(id).map(|content| self.seen_by(session, content))
    }

    /// The record of a deleted backup whose archive layers need.
    pub fn held(&self, id: &BackupId) -> Option<BackupMeta> {
        self.object(&held_key(id)).map(|bytes| BackupMeta::parse(id, &bytes).unwrap())
    }

    /// The archive that a record names.
    pub fn archive(&self, meta: &BackupMeta) -> Option<Vec<u8>> {
        self.object(&archive_key(&meta.id, meta.kind()))
    }

    pub fn meta(&self, id: &BackupId) -> Option<BackupMeta> {
        self.object(&meta_key(id)).map(|bytes| BackupMeta::parse(id, &bytes).unwrap())
    }
}
