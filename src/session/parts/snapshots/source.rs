//! Find the archive that a workspace gets its files from.

use crate::domain::snapshot::chain::Chain;
use crate::domain::snapshot::gone;
use crate::domain::{
    BackupHandle, BackupId, BackupMeta, Error, MachinePart, Result, SandboxId, Snapshot,
    SnapshotSelector, SnapshotState, Turn,
};
use crate::ports::sandbox::{RestoreMachine, StoredBackup};
use crate::session::parts::snapshots::locate::{Target, check_unexpired};
use crate::session::parts::snapshots::sdk::{SdkBackup, not_imported};
use crate::session::parts::{Context, Leases, LoadedSession};
use crate::support::backup_objects::read_meta;
use std::borrow::Cow;
use std::rc::Rc;

pub(crate) enum Found {
    Own(Box<Snapshot>),
    Published(Box<BackupMeta>),
    /// Reached by crossing, which is logged.
    Crossed(Box<BackupMeta>),
    Sdk(SdkBackup),
}

pub(crate) struct Source {
    pub handle: BackupHandle,
    pub binding: String,
    pub own: bool,
    /// The turn that ended with its files.
    pub turn: Option<Turn>,
    pub machine: Option<MachinePart>,
}

pub(crate) struct Stored {
    pub handle: BackupHandle,
    pub binding: String,
    /// Size of its own archive.
    pub size_bytes: u64,
    /// SHA-256 of its own archive, if that was recorded.
    pub sha256: Option<String>,
    /// The archives below its own.
    pub chain: Chain,
    pub machine: Option<MachinePart>,
    pub created_at_ms: i64,
}

impl Stored {
    pub(crate) fn own(row: Snapshot, handle: BackupHandle) -> Result<Self> {
        let Snapshot { id, binding, size_bytes, sha256, chain, machine, created_at_ms, .. } = row;
        let size_bytes = size_bytes
            .ok_or_else(|| Error::internal(format!("ready snapshot {id} has no size")))?;
        Ok(Self { handle, binding, size_bytes, sha256, chain, machine, created_at_ms })
    }

    /// SHA-256 of its archives, in the order in which they are applied. None if one is unknown.
    pub(crate) fn sums(&self) -> Option<Vec<String>> {
        let below = self.chain.parts().iter().map(|part| part.sha256.clone());
        Some(below.chain([self.sha256.clone()?]).collect())
    }

    pub(crate) fn foreign(meta: &BackupMeta, binding: String) -> Result<Self> {
        Ok(Self {
            handle: meta.handle(),
            binding,
            size_bytes: meta.size_bytes,
            sha256: meta.snapshotter.as_ref().map(|ours| ours.sha256.clone()),
            chain: meta.chain(),
            machine: meta.machine().cloned(),
            created_at_ms: meta.created_at_ms()?,
        })
    }
}

impl Source {
    fn foreign(meta: BackupMeta, handle: BackupHandle, binding: String) -> Self {
        let machine = meta.machine().cloned();
        let turn = meta.snapshotter.and_then(|ours| ours.cause.turn);
        Self { handle, binding, own: false, turn, machine }
    }

    /// Where a sandbox finds the snapshot.
    pub fn stored(&self) -> StoredBackup {
        StoredBackup { id: self.handle.id.clone(), binding: self.binding.clone() }
    }
}

pub(crate) fn restore_machine(
    loaded: &LoadedSession,
    backup: StoredBackup,
) -> Option<RestoreMachine> {
    let force_image = loaded.config.machine?.force_image;
    Some(RestoreMachine { backup, force_image })
}

/// Finds the archive that a workspace is made, woken or rewound from.
pub struct Sources {
    context: Rc<Context>,
    leases: Rc<Leases>,
}

impl Sources {
    pub(crate) fn new(context: Rc<Context>, leases: Rc<Leases>) -> Self {
        Self { context, leases }
    }

    pub(crate) async fn find(
        &self,
        open: &LoadedSession,
        operation: &str,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<Found> {
        let binding = &open.config.backup_binding;
        let selector = &self.resolved(open, selector, allow_cross_session).await?;
        if !allow_cross_session && self.context.is_foreign(selector)? {
            let meta = self.leases.find_published(binding, selector).await?;
            return Ok(Found::Published(Box::new(meta)));
        }
        let id = match self.context.locate(open, selector, allow_cross_session)? {
            Target::Own(snapshot) => return Ok(Found::Own(snapshot)),
            Target::Foreign(id) => id,
        };
        if let Some(meta) = self.context.cross_to(open, operation, selector, &id).await? {
            return Ok(Found::Crossed(Box::new(meta)));
        }
        let backup = self.context.find_sdk_backup(binding, selector, &id).await?;
        backup.map(Found::Sdk).ok_or_else(|| gone(&id, "is not in the bucket"))
    }

    /// If only the session that this one was opened from has the turn, selects its snapshot by id.
    async fn resolved<'a>(
        &self,
        open: &LoadedSession,
        selector: &'a SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<Cow<'a, SnapshotSelector>> {
        let SnapshotSelector::Turn(named) = selector else { return Ok(Cow::Borrowed(selector)) };
        if self.context.catalogue.turn_at(named, self.context.now_ms())?.is_some() {
            return Ok(Cow::Borrowed(selector));
        }
        let found = self.context.earlier_snapshot(open, named, allow_cross_session).await?;
        Ok(found.map_or(Cow::Borrowed(selector), |id| Cow::Owned(SnapshotSelector::Id(id))))
    }

    /// As [`Self::find`], if it can be restored now. Borrows a foreign snapshot for `borrower`.
    pub(crate) async fn source(
        &self,
        open: &LoadedSession,
        operation: &str,
        borrower: &SandboxId,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<Source> {
        let binding = open.config.backup_binding.clone();
        match self.find(open, operation, selector, allow_cross_session).await? {
            Found::Own(snapshot) => Ok(Source {
                turn: self.context.turn_of(selector, &snapshot)?,
                machine: snapshot.machine.clone(),
                handle: snapshot.restorable(self.context.now_ms())?.clone(),
                binding: snapshot.binding,
                own: true,
            }),
            Found::Published(meta) => {
                let handle = self.leases.claim(&binding, &meta, borrower).await?;
                Ok(Source::foreign(*meta, handle, binding))
            }
            Found::Crossed(meta) => {
                check_unexpired(&meta, self.context.now_ms())?;
                self.leases.cross_by_lease(&binding, &meta, borrower).await?;
                let handle = meta.handle();
                Ok(Source::foreign(*meta, handle, binding))
            }
            Found::Sdk(backup) => Err(not_imported(&backup.id)),
        }
    }

    /// Finds a head. Another session's snapshot, reached by crossing, has no row here.
    pub(crate) async fn find_head(&self, open: &LoadedSession, id: &BackupId) -> Result<Stored> {
        if let Some(row) = self.context.catalogue.snapshot(id)? {
            // A head does not expire while a workspace would wake from it.
            let handle = row.handle.clone().filter(|_| row.state == SnapshotState::Ready);
            let handle = handle.ok_or_else(|| row.gone())?;
            return Stored::own(row, handle);
        }
        let binding = open.config.backup_binding.clone();
        let bucket = self.context.ports.buckets.open(&binding)?;
        let meta = read_meta(bucket.as_ref(), id).await?;
        let meta = meta.ok_or_else(|| gone(id, "is not in the bucket"))?;
        Stored::foreign(&meta, binding)
    }
}
