//! Archives a directory to R2, in this order: archive on the container's disk; row; archive in R2;
//! `meta.json`, which commits the backup; close the row. A crash before the row leaves nothing in
//! R2. After a later crash, [`crate::sandbox::parts::backups::recover`] cleans up what the row
//! names.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::ids::{BackupId, InstanceId};
use crate::domain::limits::META_MAX_BYTES;
use crate::domain::snapshot::backup::machine::MachinePart;
use crate::domain::snapshot::backup::{
    BackupHandle, SnapshotKind, archive_key, machine_key, meta_key,
};
use crate::domain::snapshot::chain::Chain;
use crate::domain::snapshot::meta::GitState;
use crate::domain::snapshot::meta::{BackupMeta, SnapshotterMeta};
use crate::domain::time::rfc3339;
use crate::ports::bucket::Bucket;
use crate::ports::sandbox::{CreateBackupOptions, KnownArchive};
use crate::sandbox::backup::Backup;
use crate::sandbox::backup::archive::{Archive, OfferedArchive};
use crate::sandbox::backup::machine::SavedMachine;
use crate::sandbox::backup::plan::Plan;
use crate::sandbox::backup::upload::Destination;
use crate::sandbox::scripts::remove;
use serde_json::Map;

impl Plan {
    fn meta(
        &self,
        archive: &Archive,
        git: Option<GitState>,
        machine: Option<MachinePart>,
        created_at_ms: i64,
    ) -> BackupMeta {
        BackupMeta {
            id: self.id.clone(),
            dir: self.dir.clone(),
            name: self.name.clone(),
            size_bytes: archive.size_bytes,
            ttl: self.ttl.as_secs(),
            created_at: rfc3339(created_at_ms),
            snapshotter: self.provenance.as_ref().map(|ours| SnapshotterMeta {
                version: 1,
                kind: archive.kind,
                session_id: ours.session_id.clone(),
                origin_sandbox_id: ours.origin_sandbox_id.clone(),
                parent_id: ours.parent_id.clone(),
                sha256: archive.sha256_hex(),
                chain: match archive.kind {
                    SnapshotKind::Full => Chain::NONE,
                    SnapshotKind::Layer => self.base.clone(),
                },
                git,
                machine,
                cause: ours.cause.clone(),
                annotations: ours.annotations.clone(),
                unpinned_ttl: None,
                renews: ours.renews,
                published: false,
                extra: Map::new(),
            }),
            extra: Map::new(),
        }
    }
}

impl Backup<'_> {
    /// Archives a directory to R2. Returns the backup and its archive's size. On an error with
    /// outcome `none`, nothing of the backup is left. With `unknown`, parts may be left until
    /// `recover_backup` has run.
    pub(crate) async fn make_backup(
        &self,
        options: CreateBackupOptions,
    ) -> Result<(BackupHandle, u64)> {
        let plan = Plan::check(options, self.context.ports.random.as_ref())?;
        let running = self.backups.stoppable.begin(&plan.id);
        running.explain(self.make_stoppable(plan).await)
    }

    /// The caller has marked the backup as stoppable. A tree that is not the workspace's has no
    /// machine.
    pub(crate) async fn make_stoppable(&self, mut plan: Plan) -> Result<(BackupHandle, u64)> {
        let bucket = self.context.ports.buckets.open(&plan.binding)?;
        let _making = self.backups.begin_making(&plan.id)?;
        let _guard = self.backups.lock(&plan.id).await?;
        let instance = self.container.require_disk(plan.expected.as_ref()).await?;
        // The script removes what an earlier backup prepared.
        self.backups.prepared.forget();
        let created_at_ms = self.context.now_ms();
        let machine = match plan.tree {
            Some(_) => Ok(None),
            None => self.save_machine(&plan).await,
        };
        let machine = machine.map_err(|error| error.with_outcome(Outcome::None))?;
        if let Some(SavedMachine::New { .. }) = machine {
            plan.unless_equal = None;
        }
        let key = meta_key(&plan.id);
        let (made, taken) =
            futures::join!(self.make_archive_on(&plan, &instance), bucket.head(&key));
        if let (Ok(found), Some(known)) = (&made, &plan.unless_equal)
            && found.as_ref().is_none_or(|found| equals(&found.archive, known))
        {
            if let Ok(Some(equal)) = made {
                equal.offer.discard();
            }
            let handle = BackupHandle { id: known.id.clone(), dir: plan.dir, extra: Map::new() };
            return Ok((handle, known.size_bytes));
        }
        let mut clamped_times = 0;
        let stored = match (made, taken) {
            (Ok(Some(_unanswered)), Ok(Some(_))) => Err(id_taken(&plan.id)),
            (Ok(None), _) => {
                Err(Error::internal("an archive was found equal, but no archive is known"))
            }
            (Ok(Some(made)), Ok(None)) => {
                clamped_times = made.archive.clamped_times;
                let (stored, ()) = futures::join!(
                    self.store(&plan, bucket.as_ref(), made, machine, created_at_ms),
                    self.prepare_restore(&plan, &instance)
                );
                stored
            }
            (Err(error), _) | (_, Err(error)) => Err(error.with_outcome(Outcome::None)),
        };
        if stored.is_err() {
            self.discard_archive(&plan).await;
        }
        let meta = stored?;
        let mut handle = BackupHandle { id: plan.id, dir: plan.dir, extra: Map::new() };
        if clamped_times > 0 {
            handle.extra.insert(BackupHandle::CLAMPED_TIMES.to_owned(), clamped_times.into());
        }
        Ok((handle, meta.size_bytes))
    }

    /// As [`Self::make_archive`], on this disk: between two attempts, the container may have been
    /// replaced.
    async fn make_archive_on(
        &self,
        plan: &Plan,
        instance: &InstanceId,
    ) -> Result<Option<OfferedArchive>> {
        let made = self.make_archive(plan).await?;
        match self.container.require_disk(Some(instance)).await {
            Ok(_same) => Ok(made),
            Err(error) => {
                if let Some(made) = made {
                    made.offer.discard();
                }
                Err(error)
            }
        }
    }

    async fn store(
        &self,
        plan: &Plan,
        bucket: &dyn Bucket,
        made: OfferedArchive,
        machine: Option<SavedMachine>,
        created_at_ms: i64,
    ) -> Result<BackupMeta> {
        let OfferedArchive { archive, git, offer } = made;
        self.context.store.begin(&plan.id, &plan.binding, archive.kind, self.context.now_ms())?;
        let destination = Destination {
            path: &plan.archive_path,
            binding: &plan.binding,
            key: &archive_key(&plan.id, archive.kind),
            id: &plan.id,
        };
        let uploaded = async {
            self.backups.stoppable.check(&plan.id)?;
            let machine = match machine {
                Some(machine) => Some(self.upload_machine(plan, bucket, machine).await?),
                None => None,
            };
            let (notes, stays) = self.upload_offered(&destination, bucket, &archive, offer).await?;
            self.log_notes(plan, &notes);
            let meta = plan.meta(&archive, git, machine, created_at_ms);
            Ok((meta.to_bytes()?, meta, stays))
        };
        let committed = match uploaded.await {
            Ok((bytes, meta, stays)) => {
                let discard = async {
                    // The archive on the disk is no longer needed, even if writing meta.json fails.
                    if stays {
                        self.discard_archive(plan).await;
                    }
                };
                let (committed, ()) = futures::join!(commit(bucket, &plan.id, bytes), discard);
                committed.map(|()| meta)
            }
            Err(error) => Err(error),
        };
        match committed {
            Ok(meta) => {
                self.context.store.close(&plan.id, self.context.now_ms())?;
                Ok(meta)
            }
            // Another backup took the id just now. We must not remove its objects.
            Err(error) if error.code == ErrorCode::Conflict => {
                self.context.store.close(&plan.id, self.context.now_ms())?;
                Err(error.with_outcome(Outcome::Unknown))
            }
            Err(error) => Err(self.undo(plan, bucket, error).await),
        }
    }

    /// Removes the objects of a failed backup. Deletes `meta.json` first: it may exist although its
    /// write failed, and an archive without it is no backup.
    async fn undo(&self, plan: &Plan, bucket: &dyn Bucket, error: Error) -> Error {
        let undone = async {
            bucket.delete(&meta_key(&plan.id)).await?;
            bucket.delete(&machine_key(&plan.id)).await?;
            let unfinished = self.context.store.unfinished()?;
            if let Some(row) = unfinished.iter().find(|row| row.id == plan.id) {
                self.backups.remove_archive(bucket, row).await?;
            }
            self.context.store.undone(&plan.id)
        };
        let undone: Result<()> = undone.await;
        let Err(second) = undone else { return error.with_outcome(Outcome::None) };
        self.backups.note_not_undone(&plan.id, &second);
        error.with_outcome(Outcome::Unknown)
    }

    /// Best effort: a file that stays is lost with the container's disk.
    async fn discard_archive(&self, plan: &Plan) {
        if self.container.is_running() {
            let removed =
                self.container.run(&remove(std::slice::from_ref(&plan.archive_path))).await;
            self.context.note_leftover(removed.err());
        }
    }
}

/// Only equal full archives prove equal trees. Equal layers do not.
fn equals(archive: &Archive, known: &KnownArchive) -> bool {
    archive.kind == SnapshotKind::Full
        && known.chain.is_empty()
        && known.size_bytes == archive.size_bytes
        && known.sha256 == archive.sha256_hex()
}

/// Writes `meta.json`. If R2 reports an error, the object's content decides about success.
async fn commit(bucket: &dyn Bucket, id: &BackupId, bytes: Vec<u8>) -> Result<()> {
    let key = meta_key(id);
    let Err(error) = bucket.create_small(&key, bytes.clone()).await else { return Ok(()) };
    match bucket.get_small(&key, META_MAX_BYTES).await {
        Ok(Some(found)) if found == bytes => Ok(()),
        _ => Err(error),
    }
}

fn id_taken(id: &BackupId) -> Error {
    Error::new(ErrorCode::Conflict, format!("a backup {id} exists already"))
}
