//! Bring a snapshot's `meta.json` in line with its row.

use crate::domain::limits::META_MAX_BYTES;
use crate::domain::snapshot::backup::meta_key;
use crate::domain::snapshot::gone;
use crate::domain::snapshot::meta::SnapshotterMeta;
use crate::domain::time::rfc3339;
use crate::domain::{
    Annotations, BackupId, BackupMeta, DirHead, Error, ErrorCode, Event, Result, SandboxId,
    SessionId, Snapshot, SnapshotState, Turn,
};
use crate::ports::{Level, LogLine};
use crate::session::catalogue::ReadyFacts;
use crate::session::parts::SnapshotStore;
use crate::session::parts::snapshots::store::{Stored, halted};
use serde_json::{Map, json};

/// Attempts while other writers change the same `meta.json`.
const ATTEMPTS: u32 = 3;

impl SnapshotStore {
    /// Fails only with `SNAPSHOT_GONE`. If R2 does not respond, the row keeps its unsynced edits and
    /// the alarm retries.
    pub(crate) async fn sync_record(&self, id: &BackupId) -> Result<()> {
        match self.try_sync_record(id).await {
            Err(error) if error.code != ErrorCode::SnapshotGone => {
                self.context.ports.log.write(LogLine::new(
                    Level::Warn,
                    "snapshot.unsynced",
                    json!({
                        "session": self.context.session, "backupId": id,
                        "code": error.code, "cause": error.cause,
                    }),
                ));
                Ok(())
            }
            done => done,
        }
    }

    async fn try_sync_record(&self, id: &BackupId) -> Result<()> {
        // An edit may be reverted while another call writes it: `meta.json` then still
        // looks current, and that write would put the reverted edit in. The lock prevents it.
        let _guard = self.writing_record.lock(id).await;
        for _attempt in 0..ATTEMPTS {
            let row = self.context.require_snapshot(id)?;
            if row.state != SnapshotState::Ready || row.unsynced_edits == 0 {
                return Ok(());
            }
            let bucket = self.context.ports.buckets.open(&row.binding)?;
            let key = meta_key(id);
            let Some(found) = bucket.get_small_tagged(&key, META_MAX_BYTES).await? else {
                self.restore_record(&row).await?;
                continue;
            };
            // No await from this read to the write: edits made while R2 responded are written, too.
            let row = self.context.require_snapshot(id)?;
            if row.state != SnapshotState::Ready || row.unsynced_edits == 0 {
                return Ok(());
            }
            let meta = BackupMeta::parse(id, &found.bytes)?;
            let edited = edited(meta.clone(), &row);
            // The write replaces only the version we read: it does not undo a delete in between.
            let written = if edited == meta {
                Ok(())
            } else {
                bucket.replace_small(&key, &found.etag, edited.to_bytes()?).await
            };
            match written {
                Ok(()) => return self.context.catalogue.set_synced(&row),
                Err(error) if error.code == ErrorCode::Conflict => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::new(ErrorCode::Unavailable, "the snapshot's record keeps changing"))
    }

    /// Writes a lost `meta.json` again if R2 has the archive. The caller has locked the record.
    async fn restore_record(&self, row: &Snapshot) -> Result<()> {
        let stored = self.find_stored(row).await?;
        if stored == Stored::Unrecorded {
            return self.write_record(&row.id).await;
        }
        if stored.is_lost() {
            let lost = self.lost_with(row, stored).await?;
            if !self.is_loss_believed(row, lost.len()).await? {
                self.halt_sweep(&row.binding, lost.len() as u64)?;
                return Err(halted(&row.binding));
            }
            self.record_lost(&lost).await?;
            return Err(gone(&row.id, "is not in the bucket"));
        }
        Ok(())
    }

    /// `saved_at_ms`: when the turn ended whose files it has.
    pub(crate) fn record_ready(
        &self,
        id: &BackupId,
        facts: &ReadyFacts,
        saved_at_ms: i64,
    ) -> Result<Snapshot> {
        // The steps below need the session's configuration. A row that became ready without them
        // would never become the head.
        self.context.load()?;
        // No await in here: row and event are stored together.
        self.context.catalogue.set_snapshot_ready(id, facts, self.context.now_ms())?;
        let snapshot = self.context.require_snapshot(id)?;
        if let Some(turn) = &snapshot.cause.turn {
            self.record_turn(turn, &snapshot, &snapshot.origin_sandbox_id, saved_at_ms)?;
        }
        if snapshot.is_way_back() {
            self.advance(&snapshot, &snapshot.origin_sandbox_id, snapshot.seq)?;
        }
        self.context.catalogue.add_event(
            self.context.now_ms(),
            &Event::SnapshotCreated {
                backup_id: snapshot.id.clone(),
                origin_sandbox_id: snapshot.origin_sandbox_id.clone(),
                size_bytes: facts.size_bytes,
            },
        )?;
        Ok(snapshot)
    }

    pub(crate) fn record_turn(
        &self,
        turn: &Turn,
        snapshot: &Snapshot,
        sandbox_id: &SandboxId,
        at_ms: i64,
    ) -> Result<()> {
        let keep = self.context.retention_policy(&self.context.load()?)?.keep_turns;
        self.context.catalogue.add_turn(turn, &snapshot.id, sandbox_id, at_ms, keep)
    }

    pub(crate) fn advance(&self, snapshot: &Snapshot, id: &SandboxId, seq: i64) -> Result<()> {
        let head = DirHead { backup_id: snapshot.id.clone(), dir: snapshot.dir.clone() };
        self.context.catalogue.advance(id, &head, &self.context.load()?.config.saved_dirs.main, seq)
    }

    /// Has the alarm delete the archives that no layer needs any more.
    pub(crate) async fn release_held(&self) -> Result<()> {
        if self.context.catalogue.released_snapshots()?.is_empty() {
            return Ok(());
        }
        self.context.ports.alarm.schedule_by(self.context.now_ms()).await
    }

    pub(crate) fn record_failed(&self, id: &BackupId, code: ErrorCode) -> Result<()> {
        self.context.catalogue.set_snapshot_state(
            id,
            SnapshotState::Failed,
            self.context.now_ms(),
        )?;
        let event = Event::SnapshotFailed { backup_id: id.clone(), code };
        self.context.catalogue.add_event(self.context.now_ms(), &event)
    }
}

/// Builds `meta.json` from the row alone. Without a recorded hash, `@cloudflare/sandbox` wrote it.
pub(crate) fn record_of(row: &Snapshot, session: &SessionId) -> BackupMeta {
    let ours = row.sha256.clone().map(|sha256| SnapshotterMeta {
        version: 1,
        kind: row.kind(),
        session_id: session.clone(),
        origin_sandbox_id: row.origin_sandbox_id.clone(),
        parent_id: row.parent_id.clone(),
        sha256,
        chain: row.chain.clone(),
        git: row.git.clone(),
        machine: row.machine.clone(),
        cause: row.cause.clone(),
        annotations: Annotations::default(),
        unpinned_ttl: None,
        renews: row.renews,
        published: false,
        extra: Map::new(),
    });
    let meta = BackupMeta {
        id: row.id.clone(),
        dir: row.dir.clone(),
        name: None,
        size_bytes: row.size_bytes.unwrap_or_default(),
        ttl: row.ttl_secs,
        created_at: rfc3339(row.created_at_ms),
        snapshotter: ours,
        extra: Map::new(),
    };
    edited(meta, row)
}

/// A record that `@cloudflare/sandbox` wrote has no place for fields that only Snapshotter knows.
fn edited(mut meta: BackupMeta, row: &Snapshot) -> BackupMeta {
    meta.name.clone_from(&row.annotations.name);
    meta.ttl = row.effective_ttl_secs();
    if let Some(ours) = &mut meta.snapshotter {
        ours.cause.clone_from(&row.cause);
        ours.annotations = Annotations { name: None, ..row.annotations.clone() };
        ours.published = row.published;
        ours.renews = row.renews;
        ours.unpinned_ttl = row.pinned.then_some(row.ttl_secs);
    }
    meta
}
