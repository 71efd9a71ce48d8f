//! Take a snapshot of the active workspace.

use super::access::read_meta;
use super::active::Active;
use super::catalogue::{NewSnapshot, ReadyFacts};
use super::{Abort, Host, Opened, SnapshotView};
use crate::domain::backup::{BackupHandle, SnapshotKind, Ttl, data_key};
use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::event::Event;
use crate::domain::ids::BackupId;
use crate::domain::labels::Labels;
use crate::domain::limits::SETTLE_AFTER_MS;
use crate::domain::refs::WorkspaceRef;
use crate::domain::snapshot::{
    Snapshot, SnapshotState, SnapshotTrigger, check_description, check_name,
};
use crate::ports::bucket::Bucket;
use crate::ports::random::random_bytes;
use crate::ports::sandbox::{BackupProvenance, CreateBackupOptions};

/// What a caller says of the snapshot it wants.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SnapshotRequest {
    /// Name within the session.
    pub name: Option<String>,
    /// What to remember.
    pub description: Option<String>,
    /// Time to live. Default 3 days.
    pub ttl: Option<Ttl>,
    /// Take the name from a snapshot that has it.
    pub replace: bool,
    /// Labels.
    pub labels: Labels,
    /// Only of this workspace: refused if another one is active.
    pub expected_active: Option<WorkspaceRef>,
}

impl Host {
    /// Takes a snapshot of the active workspace. Answers only once R2 holds
    /// both objects.
    ///
    /// Order: alarm, `pending` row, archive and `meta.json` (by the sandbox),
    /// `ready` row. A crash after the row leaves it to [`Host::settle`].
    ///
    /// # Errors
    /// `CONFLICT` for a taken name; `PRECONDITION_FAILED`; `RATE_LIMITED`,
    /// `QUOTA_EXCEEDED` by the retention policy; `WORKSPACE_LOST`; `BACKUP_FAILED`.
    pub async fn snapshot(&self, request: SnapshotRequest, abort: &Abort) -> Result<SnapshotView> {
        abort.check()?;
        let opened = self.opened()?.writable()?;
        opened.require_snapshots()?;
        opened.expect_active(request.expected_active.as_ref())?;
        self.check_request(&request)?;
        if let Some(workspace) = self.catalogue.workspace(&opened.row.active_sandbox_id)? {
            self.check_room(&opened, &workspace)?;
        }
        abort.step("making the workspace ready")?;
        let active = self.active(&opened).await?;
        abort.step("archiving the files into the bucket")?;
        self.ports.alarm.wake_by(self.now_ms() + SETTLE_AFTER_MS).await?;
        let id = BackupId::from_random(random_bytes(self.ports.random.as_ref())?);
        // No await between these checks and the row, which reserves the name and
        // is the one that the next must wait after.
        self.check_request(&request)?;
        self.check_room(&opened, &active.workspace)?;
        let new = self.new_snapshot(&opened, &active, request, id.clone())?;
        self.catalogue.add_pending_snapshot(&new)?;
        abort.makes(new.id.as_str())?;
        let _working = self.work_on(id.as_str());
        let taken = self.take(&opened, &active, &new).await;
        match taken {
            Ok(facts) => {
                let view = self.record_ready(&new.id, &facts)?;
                Ok(SnapshotView { woken: self.take_untold_wake()?, ..view })
            }
            Err(error) => Err(self.record_failure(&new.id, error).await),
        }
    }

    fn check_request(&self, request: &SnapshotRequest) -> Result<()> {
        if let Some(description) = &request.description {
            check_description(description)?;
        }
        let Some(name) = &request.name else { return Ok(()) };
        check_name(name)?;
        match self.catalogue.name_claimant(name, self.now_ms())? {
            Some(holder) if holder.state == SnapshotState::Pending => {
                Err(Error::new(ErrorCode::Conflict, "name: a snapshot of this name is being taken")
                    .with_hint("wait for it, or choose another name"))
            }
            Some(holder) if !request.replace => Err(Error::new(
                ErrorCode::Conflict,
                format!("name: snapshot {} has this name", holder.id),
            )
            .with_hint("choose another name; over RPC and HTTP, replace: true moves the name to the new snapshot")),
            _ => Ok(()),
        }
    }

    fn new_snapshot(
        &self,
        opened: &Opened,
        active: &Active,
        request: SnapshotRequest,
        id: BackupId,
    ) -> Result<NewSnapshot> {
        let policy = self.retention_policy(opened)?;
        Ok(NewSnapshot {
            id,
            binding: opened.config.backup_binding.clone(),
            origin_sandbox_id: active.workspace.sandbox_id.clone(),
            dir: opened.config.snapshot_dir.clone(),
            name: request.name,
            description: request.description,
            trigger: SnapshotTrigger::Manual,
            parent_id: active.workspace.from_backup_id.clone(),
            created_at_ms: self.now_ms(),
            ttl: request.ttl.unwrap_or(policy.ttl),
            labels: request.labels,
        })
    }

    /// Has the sandbox make the backup, and believes it only when R2 agrees.
    async fn take(
        &self,
        opened: &Opened,
        active: &Active,
        new: &NewSnapshot,
    ) -> Result<ReadyFacts> {
        let bucket = self.ports.buckets.open(&opened.config.backup_binding)?;
        let options = CreateBackupOptions {
            dir: new.dir.clone(),
            name: new.name.clone(),
            ttl: new.ttl,
            gitignore: false,
            excludes: Vec::new(),
            compression: Default::default(),
            local_bucket: None,
            multipart: None,
            id: Some(new.id.clone()),
            snapshotter: Some(BackupProvenance {
                kind: SnapshotKind::Full,
                session_id: self.session.clone(),
                origin_sandbox_id: new.origin_sandbox_id.clone(),
                parent_id: new.parent_id.clone(),
                binding: new.binding.clone(),
                trigger: new.trigger,
                description: new.description.clone(),
                labels: new.labels.clone(),
            }),
            instance_id: Some(active.instance.clone()),
        };
        let handle = active.sandbox.create_backup(options).await?;
        committed_facts(bucket.as_ref(), handle).await?.ok_or_else(|| {
            Error::new(
                ErrorCode::BackupFailed,
                "the sandbox reported a backup that R2 does not hold",
            )
        })
    }

    pub(super) fn record_ready(&self, id: &BackupId, facts: &ReadyFacts) -> Result<SnapshotView> {
        // No await in here: row and event are stored together.
        self.catalogue.set_snapshot_ready(id, facts)?;
        let snapshot = self.require_snapshot(&facts.handle.id)?;
        if snapshot.is_whole(&self.known()?.config.workspace_dir) {
            self.catalogue.advance_head(&snapshot)?;
        }
        self.catalogue.add_event(
            self.now_ms(),
            &Event::SnapshotCreated {
                backup_id: snapshot.id.clone(),
                origin_sandbox_id: snapshot.origin_sandbox_id.clone(),
                size_bytes: facts.size_bytes,
            },
        )?;
        Ok(SnapshotView::of(&snapshot, self.now_ms()))
    }

    /// A failure that says it left nothing ends the row. Any other leaves it
    /// `pending`, and the alarm asks sandbox and bucket what became of it.
    async fn record_failure(&self, id: &BackupId, error: Error) -> Error {
        if error.outcome == Outcome::None {
            return match self.record_failed(id, error.code) {
                Ok(()) => error,
                Err(second) => second,
            };
        }
        let woken = self.ports.alarm.wake_by(self.now_ms()).await;
        let error = error.with_hint(
            "list snapshots in a moment: it appears there if it was completed, and is cleaned up if not",
        );
        match woken {
            Ok(()) => error,
            Err(second) => second,
        }
    }

    pub(super) fn record_failed(&self, id: &BackupId, code: ErrorCode) -> Result<()> {
        self.catalogue.set_snapshot_state(id, SnapshotState::Failed)?;
        let event = Event::SnapshotFailed { backup_id: id.clone(), code };
        self.catalogue.add_event(self.now_ms(), &event)
    }

    pub(super) fn require_snapshot(&self, id: &BackupId) -> Result<Snapshot> {
        self.catalogue
            .snapshot(id)?
            .ok_or_else(|| Error::internal(format!("snapshot {id} has no row")))
    }
}

/// What R2 says of a backup: none unless both objects are there and agree.
pub(super) async fn committed_facts(
    bucket: &dyn Bucket,
    handle: BackupHandle,
) -> Result<Option<ReadyFacts>> {
    let Some(meta) = read_meta(bucket, &handle.id).await? else { return Ok(None) };
    let archive = bucket.head(&data_key(&handle.id)).await?;
    if archive.is_none_or(|archive| archive.size_bytes != meta.size_bytes) {
        return Ok(None);
    }
    Ok(Some(ReadyFacts {
        created_at_ms: meta.created_at_ms()?,
        ttl_secs: meta.ttl,
        size_bytes: meta.size_bytes,
        sha256: meta.snapshotter.map(|ours| ours.sha256),
        handle,
    }))
}
