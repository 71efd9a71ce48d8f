//! Makes a backup of a tar archive's files. The container stores and checks the archive, extracts
//! it into the sandbox's own directory, and archives that tree. The bytes do not enter WebAssembly
//! memory. The next import removes what a crash left on the disk.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::files::tar::DroppedByImport;
use crate::domain::ids::BackupId;
use crate::domain::limits::{SNAPSHOT_IMPORT_MAX_BYTES, TAR_MAX_ENTRIES, TAR_TIMEOUT_MS};
use crate::domain::snapshot::backup::BackupHandle;
use crate::ports::container::Output;
use crate::ports::sandbox::{CreateBackupOptions, ImportBackupOptions};
use crate::ports::stream::Bytes;
use crate::sandbox::backup::Backup;
use crate::sandbox::backup::archive::no_room;
use crate::sandbox::backup::plan::Plan;
use crate::sandbox::scripts::{
    DISCARD, IMPORT_CHECK, OWN_DIR, STAGE, bounded, complaint, script, status,
};
use serde_json::json;

impl Backup<'_> {
    /// Archives the files of `archive` to R2. Returns the backup and its archive's size. On an
    /// error with outcome `none`, nothing is left.
    pub(crate) async fn make_imported(
        &self,
        archive: Bytes,
        import: &ImportBackupOptions,
        options: CreateBackupOptions,
    ) -> Result<(BackupHandle, u64)> {
        let plan = Plan::check(options, self.context.ports.random.as_ref())?;
        let running = self.backups.stoppable.begin(&plan.id);
        running.explain(self.make_imported_stoppable(archive, import, plan).await)
    }

    async fn make_imported_stoppable(
        &self,
        archive: Bytes,
        import: &ImportBackupOptions,
        mut plan: Plan,
    ) -> Result<(BackupHandle, u64)> {
        // Backups and restores may run while the archive arrives.
        let _importing = self.backups.lock_import(&plan.id).await?;
        let before = |error: Error| error.with_outcome(Outcome::None);
        self.container.require_disk(plan.expected.as_ref()).await.map_err(before)?;
        let dir = format!("{OWN_DIR}/staged-{}", self.context.new_tag()?);
        let made = match self.stage(archive, import, &plan.id, &dir).await {
            Err(error) => Err(before(error)),
            Ok(dropped) => {
                plan.tree = Some(format!("{dir}/tree"));
                let made = self.make_stoppable(plan).await;
                made.map(|(handle, size)| (naming(handle, dropped), size))
            }
        };
        if self.container.is_running() {
            self.context.note_leftover(self.container.run(&script(DISCARD, &[&dir])).await.err());
        }
        made
    }

    async fn stage(
        &self,
        archive: Bytes,
        import: &ImportBackupOptions,
        id: &BackupId,
        dir: &str,
    ) -> Result<DroppedByImport> {
        let [bytes, entries] =
            [SNAPSHOT_IMPORT_MAX_BYTES, TAR_MAX_ENTRIES].map(|limit| limit.to_string());
        let layer = if import.layer { "yes" } else { "no" };
        let sha256 = import.sha256.as_deref().unwrap_or_default();
        let arguments = [OWN_DIR, "", dir, layer, sha256, &bytes, &entries, IMPORT_CHECK];
        let command = bounded(STAGE, &arguments, id, TAR_TIMEOUT_MS);
        judge(&self.container.write_to(&command, archive).await?)
    }
}

fn naming(mut handle: BackupHandle, dropped: DroppedByImport) -> BackupHandle {
    if dropped != DroppedByImport::default() {
        handle.extra.insert(BackupHandle::DROPPED.to_owned(), json!(dropped));
    }
    handle
}

/// The script prints two numbers.
fn dropped(printed: &[u8]) -> Option<DroppedByImport> {
    let (bits, attributes) = std::str::from_utf8(printed).ok()?.trim_end().split_once(' ')?;
    let (special_bits, attributes) = (bits.parse().ok()?, attributes.parse().ok()?);
    Some(DroppedByImport { owners: 0, special_bits, attributes })
}

fn judge(output: &Output) -> Result<DroppedByImport> {
    let said = complaint(output);
    Err(match output.exit_code {
        0 => {
            return dropped(&output.stdout).ok_or_else(|| {
                Error::internal("the script did not say what the archive lost")
                    .with_cause(String::from_utf8_lossy(&output.stdout))
            });
        }
        status::TOO_LARGE => Error::new(ErrorCode::TooLarge, said),
        status::REFUSED => Error::new(ErrorCode::InvalidArgument, said),
        status::CHECKSUM => Error::new(ErrorCode::Integrity, said),
        status::TOOL_MISSING => Error::new(ErrorCode::Unsupported, said)
            .with_hint("install it in the image, or send the archive in another format"),
        status::NO_ROOM => no_room(said),
        status::INCOMPLETE => Error::new(ErrorCode::Unavailable, said),
        _ => Error::new(
            ErrorCode::BackupFailed,
            format!("the archive could not be extracted: {said}"),
        ),
    })
}
