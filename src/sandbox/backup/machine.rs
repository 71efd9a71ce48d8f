//! Archives and restores the machine: what differs from the image outside the workspace
//! (`docs/decisions/machines.md`).

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{BackupId, InstanceId};
use crate::domain::limits::BACKUP_ATTEMPTS;
use crate::domain::snapshot::backup::machine::{MachineImage, MachinePart};
use crate::domain::snapshot::backup::{BackupDir, machine_key};
use crate::domain::snapshot::gone;
use crate::ports::bucket::Bucket;
use crate::ports::container::{Command, Output};
use crate::ports::sandbox::RestoreMachine;
use crate::sandbox::backup::Backup;
use crate::sandbox::backup::archive::{
    ARCHIVE_LIMIT_MS, Archive, RETRY_MS, no_room, parse, took_long, tool_missing,
};
use crate::sandbox::backup::fetch::{EXTRACT_LIMIT_MS, archive_path};
use crate::sandbox::backup::plan::Plan;
use crate::sandbox::backup::upload::Destination;
use crate::sandbox::scripts::{
    OWN_DIR, RESTORE_MACHINE, SAVE_MACHINE, bounded, complaint, lines, remove, status,
};
use crate::support::backup_objects::read_meta;

pub(crate) enum SavedMachine {
    /// The machine has not changed since this archive was made.
    Shared(MachinePart),
    /// A new archive on the container's disk.
    New { archive: Archive, image: MachineImage },
}

pub(crate) enum RestoredMachine {
    On(InstanceId),
    /// The backup has no machine.
    Absent,
    /// R2 has lost the machine.
    Lost,
}

impl Backup<'_> {
    /// Archives the machine if the sandbox persists it, unless it is known to be unchanged.
    pub(crate) async fn save_machine(&self, plan: &Plan) -> Result<Option<SavedMachine>> {
        if plan.provenance.is_none() {
            return Ok(None);
        }
        self.container.check_configured()?;
        let Some(dirs) = self.context.store.configuration()?.persist_machine else {
            return Ok(None);
        };
        let dirs = lines(&dirs);
        let known = plan.known_machine.as_ref().map_or("", |known| known.sha256.as_str());
        let path = machine_path(plan);
        let arguments: [&str; 4] = [&path, "", &dirs, known];
        let command = bounded(SAVE_MACHINE, &arguments, &plan.id, ARCHIVE_LIMIT_MS);
        let mut said = String::new();
        for attempt in 1..=BACKUP_ATTEMPTS {
            if attempt > 1 {
                self.context.ports.clock.sleep_ms(RETRY_MS * u64::from(attempt - 1)).await;
            }
            self.backups.stoppable.check(&plan.id)?;
            let output = self.container.run(&command).await?;
            said = complaint(&output);
            match output.exit_code {
                0 => return self.read_saved(plan, &output).map(Some),
                status::TOOL_MISSING => return Err(tool_missing(said)),
                status::BUSY => return Err(Error::new(ErrorCode::Unavailable, said)),
                status::NO_ROOM => return Err(no_room(said)),
                status::TOOK_LONG | status::LIMIT => return Err(took_long(said)),
                status::UNKNOWN_IMAGE => return Err(unknown_image(said)),
                _ => {}
            }
        }
        Err(Error::new(
            ErrorCode::BackupFailed,
            format!("the machine could not be archived in {BACKUP_ATTEMPTS} attempts: {said}"),
        )
        .with_hint("stop what is changing files outside the workspace, and try again"))
    }

    fn read_saved(&self, plan: &Plan, output: &Output) -> Result<SavedMachine> {
        let text = String::from_utf8_lossy(&output.stdout);
        if let Some(known) = plan.known_machine.as_ref().filter(|_| text == "unchanged\n") {
            return Ok(SavedMachine::Shared(known.clone()));
        }
        let (archive, image) = text.trim_end().rsplit_once(' ').unwrap_or_default();
        let archive = parse(archive.replacen("machine", "full", 1).as_bytes())?;
        let max_bytes = self.context.sizes.single_put_max_bytes;
        if archive.size_bytes > max_bytes {
            return Err(Error::new(
                ErrorCode::BackupFailed,
                format!(
                    "the machine's archive has {} bytes; at most {max_bytes} are allowed",
                    archive.size_bytes
                ),
            )
            .with_hint("build large files into the image, or move them into the workspace"));
        }
        let name = self.container.raw().image();
        let image = MachineImage::reported(name, image).ok_or_else(|| {
            Error::new(ErrorCode::BackupFailed, "the archive tool did not say what the image has")
        })?;
        Ok(SavedMachine::New { archive, image })
    }

    /// Uploads a machine's archive, if it is new. The backup's row has been written.
    pub(crate) async fn upload_machine(
        &self,
        plan: &Plan,
        bucket: &dyn Bucket,
        saved: SavedMachine,
    ) -> Result<MachinePart> {
        let (archive, image) = match saved {
            SavedMachine::Shared(part) => return Ok(part),
            SavedMachine::New { archive, image } => (archive, image),
        };
        let (path, key, id) = (machine_path(plan), machine_key(&plan.id), plan.id.clone());
        let to = Destination { path: &path, binding: &plan.binding, key: &key, id: &id };
        self.upload(&to, bucket, &archive).await?;
        let removed = self.container.run(&remove(std::slice::from_ref(&path))).await;
        self.context.note_leftover(removed.err());
        let (size_bytes, sha256) = (archive.size_bytes, archive.sha256_hex());
        Ok(MachinePart { id, size_bytes, sha256, image, lost: false })
    }

    /// Restores the machine of a backup in a fresh container, for the restore of `restoring`.
    /// Replaces a container that is not fresh, unless the sandbox was destroyed since `destroys`
    /// was counted. Destroys a container whose machine may be half restored. If R2 has lost the
    /// machine, leaves the image as it is: the files can still be restored.
    pub(crate) async fn restore_machine(
        &self,
        restoring: &BackupId,
        wanted: &RestoreMachine,
        mut instance: InstanceId,
        destroys: u64,
    ) -> Result<RestoredMachine> {
        let dirs = self.context.store.configuration()?.persist_machine;
        let dirs = dirs.ok_or_else(|| {
            Error::internal("the machine is to be restored in a sandbox that does not persist it")
        })?;
        let bucket = self.context.ports.buckets.open(&wanted.backup.binding)?;
        let meta = read_meta(bucket.as_ref(), &wanted.backup.id).await?;
        let meta = meta.ok_or_else(|| gone(&wanted.backup.id, "is not in R2"))?;
        let Some(part) = meta.machine() else { return Ok(RestoredMachine::Absent) };
        if !is_stored(bucket.as_ref(), part).await? {
            return Ok(RestoredMachine::Lost);
        }
        for is_last in [false, true] {
            let path = archive_path(&self.context.new_tag()?);
            let (key, binding) = (machine_key(&part.id), &wanted.backup.binding);
            let container = self.container.raw();
            if let Err(error) = container.download(binding, &key, part.size_bytes, &path).await {
                return Err(self.container.explain(error).await);
            }
            self.backups.stoppable.check(restoring)?;
            self.container.check_undestroyed(destroys)?;
            let command = restore_command(&path, part, &dirs, wanted, restoring);
            let output = self.container.run(&command).await?;
            match output.exit_code {
                0 => return Ok(RestoredMachine::On(instance)),
                status::OTHER_IMAGE => {
                    let sha256 = String::from_utf8_lossy(&output.stdout);
                    let name = self.container.raw().image();
                    let found = MachineImage::reported(name, sha256.trim());
                    let found = found.ok_or_else(|| unknown_image(complaint(&output)))?;
                    return Err(part.other_image(&found));
                }
                // An earlier restore broke off, or restored another machine.
                status::NOT_FRESH if !is_last => {
                    instance = self.container.replace(destroys).await?;
                }
                _ => {
                    self.container.check_undestroyed(destroys)?;
                    self.container.destroy().await?;
                    return Err(judge(&output, part));
                }
            }
        }
        Err(Error::internal("a new container is not fresh"))
    }
}

fn machine_path(plan: &Plan) -> String {
    format!("{OWN_DIR}/machine-{}.sqsh", plan.id)
}

fn restore_command(
    path: &str,
    part: &MachinePart,
    dirs: &[BackupDir],
    wanted: &RestoreMachine,
    restoring: &BackupId,
) -> Command {
    let (dirs, force) = (lines(dirs), if wanted.force_image { "yes" } else { "no" });
    let arguments = [path, &part.sha256, "", &dirs, &part.image.sha256, force];
    bounded(RESTORE_MACHINE, &arguments, restoring, EXTRACT_LIMIT_MS)
}

async fn is_stored(bucket: &dyn Bucket, part: &MachinePart) -> Result<bool> {
    let Some(found) = bucket.head(&machine_key(&part.id)).await? else { return Ok(false) };
    if found.size_bytes == part.size_bytes {
        return Ok(true);
    }
    Err(Error::new(
        ErrorCode::Integrity,
        format!(
            "the machine of backup {} has {} bytes in R2, and {} when it was made",
            part.id, found.size_bytes, part.size_bytes
        ),
    ))
}

fn judge(output: &Output, part: &MachinePart) -> Error {
    let said = complaint(output);
    let id = &part.id;
    match output.exit_code {
        status::CHECKSUM => Error::new(
            ErrorCode::Integrity,
            format!("the machine of backup {id} is not the one that was made: {said}"),
        ),
        status::TOOL_MISSING => tool_missing(said),
        status::BUSY => Error::new(ErrorCode::Unavailable, said),
        status::UNKNOWN_IMAGE => unknown_image(said),
        _ => Error::new(
            ErrorCode::RestoreFailed,
            format!("the machine of backup {id} could not be restored: {said}"),
        ),
    }
}

/// The image is examined right after a container starts. Without that record, nothing tells the
/// machine from the image.
fn unknown_image(said: String) -> Error {
    Error::new(ErrorCode::Unsupported, said)
        .with_hint("the image needs GNU findutils and coreutils, and awk")
}
