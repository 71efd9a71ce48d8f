//! Replaces a directory with a backup's files. Checks the record and the archives' sizes before it
//! touches the container. The script swaps the directory last: on any failure it stays unchanged.

use crate::domain::error::{Error, ErrorCode, Next, Outcome, Result};
use crate::domain::ids::{BackupId, InstanceId};
use crate::domain::limits::ENDED_SHOWN;
use crate::domain::session::config::DEFAULT_BACKUP_BINDING;
use crate::domain::snapshot::backup::{BackupDir, BackupHandle, expires_at_ms, is_expired};
use crate::domain::snapshot::chain::Chain;
use crate::domain::snapshot::meta::BackupMeta;
use crate::domain::snapshot::{expired, gone};
use crate::ports::bucket::Bucket;
use crate::ports::container::Output;
use crate::ports::sandbox::{RestoreBackupOptions, RestoreBackupResult};
use crate::sandbox::backup::Backup;
use crate::sandbox::backup::archive::tool_missing;
use crate::sandbox::backup::fetch::{
    Receiving, archive_path, archives, check_archives, extract_arguments,
};
use crate::sandbox::backup::machine::RestoredMachine;
use crate::sandbox::backup::manifest::manifest_path;
use crate::sandbox::parts::container::run::KILLED_EXIT_CODE;
use crate::sandbox::scripts::{OWN_DIR, RESTORE, complaint, ended, status};
use crate::support::backup_objects::read_meta;

/// The script prints this line if it moved the directory's earlier files aside.
const MOVED_ASIDE: &str = "aside";

struct Applied {
    output: Output,
    /// Path of the full archive.
    path: String,
    /// The path for earlier files.
    aside: String,
}

impl Backup<'_> {
    /// Replaces `handle.dir` with a backup's files. On an error the directory stays unchanged,
    /// unless the container ended.
    pub(crate) async fn restore(
        &self,
        handle: BackupHandle,
        options: RestoreBackupOptions,
    ) -> Result<(RestoreBackupResult, BackupMeta)> {
        let running = self.backups.stoppable.begin(&handle.id);
        running.explain(self.restore_stoppable(handle, options).await)
    }

    async fn restore_stoppable(
        &self,
        handle: BackupHandle,
        options: RestoreBackupOptions,
    ) -> Result<(RestoreBackupResult, BackupMeta)> {
        let binding = options.binding.as_deref().unwrap_or(DEFAULT_BACKUP_BINDING);
        let bucket = self.context.ports.buckets.open(binding)?;
        let destroys = self.container.destroys();
        let _guard = self.backups.lock(&handle.id).await?;

        let meta = read_meta(bucket.as_ref(), &handle.id).await?;
        let meta = meta.ok_or_else(|| gone(&handle.id, "is not in R2"))?;
        if !options.lifetime_checked {
            self.check_lifetime(&meta)?;
        }
        let before = archives(&meta);
        let error = match self
            .restore_archives(&handle, &options, &before, bucket.as_ref(), destroys)
            .await
        {
            Ok(result) => return Ok((result, meta)),
            Err(error) => error,
        };
        // Meanwhile the snapshot's session, perhaps another one, may have made the snapshot full
        // and removed the archives that the old record names.
        let meta = match read_meta(bucket.as_ref(), &handle.id).await {
            Ok(Some(now)) if error.outcome == Outcome::None && archives(&now) != before => now,
            _ => return Err(error),
        };
        let after = archives(&meta);
        let bucket = bucket.as_ref();
        let result = self.restore_archives(&handle, &options, &after, bucket, destroys).await?;
        Ok((result, meta))
    }

    async fn restore_archives(
        &self,
        handle: &BackupHandle,
        options: &RestoreBackupOptions,
        archives: &Chain,
        bucket: &dyn Bucket,
        destroys: u64,
    ) -> Result<RestoreBackupResult> {
        check_archives(bucket, archives).await?;
        self.container.check_undestroyed(destroys)?;
        let mut instance = self.container.require_disk(options.instance_id.as_ref()).await?;
        // Without a machine of its own, a workspace must not begin on one from an earlier restore.
        let persists = self.context.store.configuration()?.persist_machine.is_some();
        let mut of_image = options.fresh_sandbox && !persists;
        let mut machine_lost = false;
        if let Some(machine) = options.machine.as_ref().filter(|_| options.fresh_sandbox) {
            match self.restore_machine(&handle.id, machine, instance.clone(), destroys).await? {
                RestoredMachine::On(restored) => instance = restored,
                RestoredMachine::Absent => of_image = true,
                RestoredMachine::Lost => (of_image, machine_lost) = (true, true),
            }
        }
        // Another container may run by now.
        self.container.check_undestroyed(destroys)?;
        self.backups.stoppable.check(&handle.id)?;
        let mut applied = self.apply(handle, options, archives, &instance, of_image).await?;
        if applied.output.exit_code == status::NOT_FRESH {
            instance = self.container.replace(destroys).await?;
            applied = self.apply(handle, options, archives, &instance, of_image).await?;
        }
        let Applied { output, path, aside } = applied;
        let said = String::from_utf8_lossy(&output.stdout);
        let position = said.lines().filter_map(at_work).next_back().unwrap_or_default();
        let at_work = archives.parts().get(position).map_or(&handle.id, |part| &part.id);
        if let Err(error) = judge(&output, at_work, &handle.dir) {
            // The script removes the archives, unless it was killed.
            self.discard(&path, archives).await;
            return Err(error);
        }
        let moved = said.lines().any(|line| line == MOVED_ASIDE);
        let ended = said.lines().filter_map(ended).collect();
        let result = RestoreBackupResult {
            success: true,
            dir: handle.dir.as_str().to_owned(),
            id: handle.id.clone(),
            instance_id: instance,
            aside: moved.then_some(aside),
            ended,
            machine_lost,
        };
        Ok(result)
    }

    /// With `of_image`, the script changes nothing in a container whose machine was restored.
    async fn apply(
        &self,
        handle: &BackupHandle,
        options: &RestoreBackupOptions,
        archives: &Chain,
        instance: &InstanceId,
        of_image: bool,
    ) -> Result<Applied> {
        let tag = self.context.new_tag()?;
        let prepared = self.backups.prepared.take(archives, instance);
        let is_prepared = prepared.is_some();
        let path = prepared.unwrap_or_else(|| archive_path(&tag));
        let binding = options.binding.as_deref().unwrap_or(DEFAULT_BACKUP_BINDING);
        let receiving =
            Receiving { id: &handle.id, binding, archives, prepared: is_prepared, path: &path };
        // No snapshot includes this place, neither of a directory nor of the machine.
        let aside = if options.wake { format!("{OWN_DIR}/aside-{tag}") } else { String::new() };
        let fresh = match (options.fresh_sandbox, of_image) {
            (false, _) => "no",
            (true, false) => "yes",
            (true, true) => "image",
        };
        let end = if options.end_users { ENDED_SHOWN.to_string() } else { String::new() };
        let (dir, manifest) = (handle.dir.as_str(), manifest_path(&handle.dir));
        let chain = extract_arguments(&path, archives);
        let mut chain = chain.iter().map(String::as_str);
        let (full, sha256) = (chain.next().unwrap_or_default(), chain.next().unwrap_or_default());
        let arguments = [full, dir, sha256, fresh, &tag, &aside, &end, &manifest];
        let arguments: Vec<&str> = arguments.into_iter().chain(chain).collect();
        let output = self.run_receiving(&receiving, RESTORE, &arguments).await?;
        Ok(Applied { output, path, aside })
    }

    fn check_lifetime(&self, meta: &BackupMeta) -> Result<()> {
        let created_at_ms = meta.created_at_ms()?;
        if is_expired(self.context.now_ms(), created_at_ms, meta.ttl) {
            return Err(expired(&meta.id, expires_at_ms(created_at_ms, meta.ttl)));
        }
        Ok(())
    }
}

/// Parses `archive POSITION`: the archive of the chain that the script worked on.
pub(crate) fn at_work(line: &str) -> Option<usize> {
    line.strip_prefix("archive ")?.parse().ok()
}

fn judge(output: &Output, id: &BackupId, dir: &BackupDir) -> Result<()> {
    let said = complaint(output);
    let dir = dir.as_str();
    Err(match output.exit_code {
        0 => return Ok(()),
        status::IN_USE => Error::new(ErrorCode::Conflict, format!("{dir} {said}"))
            .with_hint(Next::EndOrRestoreNew),
        status::WRONG_TYPE => Error::invalid("dir", said),
        status::CHECKSUM => Error::new(
            ErrorCode::Integrity,
            format!("the archive of backup {id} is not the one that was made: {said}"),
        ),
        status::TOOL_MISSING => tool_missing(said),
        status::BUSY => Error::new(ErrorCode::Unavailable, said),
        status::NOT_RENAMABLE => Error::new(ErrorCode::Unsupported, format!("{dir} {said}"))
            .with_hint(Next::RestoreElsewhere),
        _ => {
            let error = Error::new(
                ErrorCode::RestoreFailed,
                format!("the archive of backup {id} could not be put in place of {dir}: {said}"),
            );
            // A killed script could not clean up after itself.
            let killed = output.killed || output.exit_code == KILLED_EXIT_CODE;
            if killed { error.with_outcome(Outcome::Unknown) } else { error }
        }
    })
}
