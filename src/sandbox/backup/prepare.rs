//! Downloads and extracts the archives of a backup before its restore.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::InstanceId;
use crate::domain::snapshot::chain::Chain;
use crate::ports::log::{Level, LogLine};
use crate::ports::sandbox::StoredBackup;
use crate::sandbox::backup::Backup;
use crate::sandbox::backup::archive::no_room;
use crate::sandbox::backup::fetch::{Receiving, archive_path, archives, extract_arguments};
use crate::sandbox::backup::plan::Plan;
use crate::sandbox::parts::backups::prepared::PreparedArchives;
use crate::sandbox::scripts::{OWN_DIR, PREPARE, ROOM, complaint, script};
use crate::support::backup_objects::read_meta;
use serde_json::json;

/// The disk must have room for the archives' size times this: once for the archives, and the rest
/// for their files, which are rarely larger. Otherwise a restore that may not happen could fill the
/// disk. The message of `room.sh` states this factor, too.
const ROOM_FACTOR: u64 = 8;

impl Backup<'_> {
    /// Prepares the expected restore, if any. A failure is only logged: the restore then does all
    /// the work and reports any error.
    pub(crate) async fn prepare_restore(&self, plan: &Plan, instance: &InstanceId) {
        let Some(backup) = &plan.prepare_restore else { return };
        if let Err(error) = self.try_to_prepare(plan, backup, instance).await {
            self.context.ports.log.write(LogLine::new(
                Level::Info,
                "sandbox.not_prepared",
                json!({ "backup": backup.id, "code": error.code, "cause": error.cause }),
            ));
        }
    }

    async fn try_to_prepare(
        &self,
        plan: &Plan,
        backup: &StoredBackup,
        instance: &InstanceId,
    ) -> Result<()> {
        let bucket = self.context.ports.buckets.open(&backup.binding)?;
        let Some(meta) = read_meta(bucket.as_ref(), &backup.id).await? else {
            return Err(Error::new(ErrorCode::SnapshotGone, "the backup is not in R2"));
        };
        let archives = archives(&meta);
        self.check_room(&archives).await?;
        let path = archive_path(&self.context.new_tag()?);
        let arguments = extract_arguments(&path, &archives);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let receiving = Receiving {
            id: &backup.id,
            binding: &backup.binding,
            archives: &archives,
            path: &path,
            prepared: false,
        };
        self.backups.stoppable.prepares(&plan.id, &backup.id)?;
        let output = self.run_receiving(&receiving, PREPARE, &arguments).await?;
        if output.exit_code != 0 {
            self.discard(&path, &archives).await;
            return Err(Error::new(ErrorCode::RestoreFailed, "it was not prepared")
                .with_cause(complaint(&output)));
        }
        let instance = instance.clone();
        self.backups.prepared.set(PreparedArchives { archives, instance, path });
        Ok(())
    }

    /// Fails unless the disk has room for the archives of a chain and their files.
    pub(crate) async fn check_room(&self, archives: &Chain) -> Result<()> {
        let size_bytes =
            archives.parts().iter().fold(0_u64, |sum, part| sum.saturating_add(part.size_bytes));
        let room = size_bytes.saturating_mul(ROOM_FACTOR).to_string();
        let output = self.container.run(&script(ROOM, &[OWN_DIR, &room])).await?;
        match output.exit_code {
            0 => Ok(()),
            _ => Err(no_room(complaint(&output))),
        }
    }
}
