//! Finish or clean up the saves that a crash left.

use crate::domain::limits::SAVE_ENDS_MS;
use crate::domain::snapshot::backup::archive_key;
use crate::domain::{
    BackupHandle, BackupId, Error, ErrorCode, Next, Result, SandboxId, Snapshot, SnapshotState,
};
use crate::ports::Bucket;
use crate::ports::sandbox::BackupProgress;
use crate::session::catalogue::ReadyFacts;
use crate::session::parts::Saver;
use crate::session::parts::snapshots::store::is_machine_stored;
use crate::support::backup_objects::read_meta;
use futures::future::select;
use serde_json::json;
use std::pin::pin;

/// The error of a wake whose head can't be applied: no workspace is handed out empty instead.
pub(crate) fn unapplied(id: &BackupId, error: Error) -> Error {
    let because = error.code;
    let cause = error.cause.map_or_else(String::new, |cause| format!(": {cause}"));
    let mut unapplied = Error::new(
        ErrorCode::RestoreFailed,
        format!(
            "the workspace has no running container, and its files could not be brought back from snapshot {id}: {}",
            error.message
        ),
    )
    .with_hint(
        Next::RestoreOrGiveUp,
    )
    .with_details(json!({ "snapshotId": id, "because": because }))
    .with_cause(format!("snapshot {id}: {because}{cause}"));
    // A container lost during the wake had only restored files: the next wake starts over.
    unapplied.retryable = error.retryable || because == ErrorCode::WorkspaceLost;
    unapplied
}

/// As [`unapplied`], if the snapshot is whole but was changed meanwhile: the next call applies it.
pub(crate) fn unapplied_yet(id: &BackupId, error: Error) -> Error {
    let mut unapplied = unapplied(id, error)
        .with_hint("call again: the bucket has all archives that the workspace needs");
    unapplied.retryable = true;
    unapplied
}

/// Reads a backup's facts from R2. None unless both objects exist and agree.
pub(crate) async fn committed_facts(
    bucket: &dyn Bucket,
    handle: BackupHandle,
) -> Result<Option<ReadyFacts>> {
    let Some(meta) = read_meta(bucket, &handle.id).await? else { return Ok(None) };
    let archive = bucket.head(&archive_key(&handle.id, meta.kind())).await?;
    if archive.is_none_or(|archive| archive.size_bytes != meta.size_bytes) {
        return Ok(None);
    }
    if !is_machine_stored(bucket, meta.machine()).await? {
        return Ok(None);
    }
    Ok(Some(ReadyFacts {
        created_at_ms: meta.created_at_ms()?,
        ttl_secs: meta.ttl,
        size_bytes: meta.size_bytes,
        chain: meta.chain(),
        git: meta.snapshotter.as_ref().and_then(|ours| ours.git.clone()),
        machine: meta.machine().cloned(),
        sha256: meta.snapshotter.map(|ours| ours.sha256),
        handle,
    }))
}

impl Saver {
    /// Recovers a pending snapshot that no call works on. The caller has its workspace exclusively.
    pub(crate) async fn recover_save(&self, id: &BackupId) -> Result<Option<Error>> {
        let left = self.context.catalogue.snapshot(id)?;
        let left = left.filter(|row| row.state == SnapshotState::Pending);
        let Some(snapshot) = left.filter(|_| !self.in_flight.is_worked_on(id.as_str())) else {
            return Ok(None);
        };
        let _working = self.in_flight.work_on(id.as_str());
        let recovered = self.recover_pending(&snapshot).await;
        let failed = recovered.as_ref().err().cloned();
        self.context.note_recovered(id.as_str(), snapshot.state.as_str(), recovered)?;
        Ok(failed)
    }

    /// Marks a pending snapshot as ready if R2 holds it whole, else as failed, but only once its
    /// sandbox can no longer complete it.
    async fn recover_pending(&self, snapshot: &Snapshot) -> Result<Option<&'static str>> {
        let maker = self.context.catalogue.clean_maker_of(&snapshot.id)?;
        let maker = maker.as_ref().unwrap_or(&snapshot.origin_sandbox_id);
        let sandbox = self.context.ports.sandboxes.get(maker)?;
        if sandbox.recover_backup(snapshot.id.clone()).await? == BackupProgress::Running {
            return Ok(None);
        }
        let bucket = self.context.ports.buckets.open(&snapshot.binding)?;
        let handle = BackupHandle {
            id: snapshot.id.clone(),
            dir: snapshot.dir.clone(),
            extra: serde_json::Map::new(),
        };
        if let Some(facts) = committed_facts(bucket.as_ref(), handle).await? {
            self.store.record_ready(&snapshot.id, &facts, facts.created_at_ms)?;
            return Ok(Some("ready"));
        }
        crate::support::backup_objects::delete_objects(bucket.as_ref(), &snapshot.id).await?;
        self.store.record_failed(&snapshot.id, ErrorCode::Interrupted)?;
        Ok(Some("failed"))
    }

    /// If R2 holds a pending snapshot of the workspace, it is the last state of the disk.
    pub(crate) async fn recover_saves(&self, id: &SandboxId) -> Result<()> {
        for left in self.context.catalogue.unrecovered_snapshots()? {
            if &left.origin_sandbox_id != id || !left.is_way_back() {
                continue;
            }
            // A call of this object may be about to record the snapshot.
            let saving = left.id.to_string();
            let ended = pin!(self.in_flight.working.ended(&saving));
            select(ended, self.context.ports.clock.sleep_ms(SAVE_ENDS_MS)).await;
            if let Some(error) = self.recover_save(&left.id).await? {
                return Err(unapplied(&left.id, error));
            }
            let is_pending =
                self.context.require_snapshot(&left.id)?.state == SnapshotState::Pending;
            if is_pending && !self.in_flight.is_worked_on(left.id.as_str()) {
                return Err(Error::new(
                    ErrorCode::Unavailable,
                    format!("snapshot {}, the last of the workspace, is being completed", left.id),
                )
                .with_hint("call again in a few seconds: the workspace may wake from it"));
            }
        }
        Ok(())
    }
}
