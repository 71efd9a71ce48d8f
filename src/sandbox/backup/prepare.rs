//! Downloads and extracts an archive before its restore.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{BackupId, InstanceId};
use crate::domain::limits::META_MAX_BYTES;
use crate::domain::snapshot::backup::{BackupMeta, data_key, meta_key};
use crate::ports::container::Command;
use crate::ports::log::{Level, LogLine};
use crate::ports::random::random_bytes;
use crate::ports::sandbox::StoredBackup;
use crate::sandbox::SandboxService;
use crate::sandbox::backup::prepared::Prepared;
use crate::sandbox::scripts::{OWN_DIR, PREPARE, ROOM, complaint, script};
use serde_json::json;

/// Time limit of an extraction.
pub(crate) const EXTRACT_LIMIT_MS: u64 = 3_600_000;
/// The disk must have room for this many times the archive's size: once for the
/// archive, and the rest for its files, which are rarely larger. Otherwise a
/// restore that may not happen could fill the disk of the session's programs.
const ROOM_FACTOR: u64 = 8;

impl SandboxService {
    /// Prepares a restore, if one is expected. A failure is only logged: the
    /// restore then does all the work and reports any error.
    pub(crate) async fn prepare_restore(
        &self,
        expected: Option<&StoredBackup>,
        instance: &InstanceId,
    ) {
        let Some(backup) = expected else { return };
        if let Err(error) = self.try_to_prepare(backup, instance).await {
            self.ports.log.write(LogLine::new(
                Level::Info,
                "sandbox.not_prepared",
                json!({ "backup": backup.id, "code": error.code, "cause": error.cause }),
            ));
        }
    }

    async fn try_to_prepare(&self, backup: &StoredBackup, instance: &InstanceId) -> Result<()> {
        let bucket = self.ports.buckets.open(&backup.binding)?;
        let Some(bytes) = bucket.get_small(&meta_key(&backup.id), META_MAX_BYTES).await? else {
            return Err(Error::new(ErrorCode::SnapshotGone, "the backup is not in R2"));
        };
        let meta = BackupMeta::parse(&backup.id, &bytes)?;
        let room = meta.size_bytes.saturating_mul(ROOM_FACTOR).to_string();
        self.run_quietly(&script(ROOM, &[OWN_DIR, &room])).await?;
        let path = archive_path(&self.new_tag()?);
        let sha256 = meta.snapshotter.map_or_else(String::new, |ours| ours.sha256);
        let extracted = async {
            let (container, key) = (self.machine.container(), data_key(&backup.id));
            container.download(&backup.binding, &key, meta.size_bytes, &path).await?;
            let mut command = script(PREPARE, &[&path, &sha256]);
            command.kill_after_ms = Some(EXTRACT_LIMIT_MS);
            self.run_quietly(&command).await
        };
        if let Err(error) = extracted.await {
            self.discard(&path).await;
            return Err(error);
        }
        let (id, instance) = (backup.id.clone(), instance.clone());
        *self.prepared.borrow_mut() = Some(Prepared { id, instance, sha256, path });
        Ok(())
    }

    async fn run_quietly(&self, command: &Command) -> Result<()> {
        let output = self.machine.run(command).await?;
        if output.exit_code == 0 {
            return Ok(());
        }
        Err(Error::new(ErrorCode::RestoreFailed, "it was not prepared")
            .with_cause(complaint(&output)))
    }

    /// Returns the path of the archive that was prepared for this restore, if
    /// any.
    pub(crate) fn take_prepared(
        &self,
        id: &BackupId,
        sha256: &str,
        instance: &InstanceId,
    ) -> Option<String> {
        let prepared = self.prepared.take()?;
        let fits =
            prepared.id == *id && prepared.sha256 == sha256 && prepared.instance == *instance;
        fits.then_some(prepared.path)
    }

    /// A random part for the names of a restore's files.
    pub(crate) fn new_tag(&self) -> Result<String> {
        let tag: [u8; 8] = random_bytes(self.ports.random.as_ref())?;
        Ok(tag.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Where an archive is downloaded to. The next backup or restore removes
/// leftovers of another one.
pub(crate) fn archive_path(tag: &str) -> String {
    format!("{OWN_DIR}/restore-{tag}.sqsh")
}
