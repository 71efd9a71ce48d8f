//! Makes one archive of all files of a backup, on the container's disk.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::BackupId;
use crate::domain::snapshot::chain::Chain;
use crate::domain::snapshot::meta::BackupMeta;
use crate::ports::bucket::Bucket;
use crate::ports::container::Output;
use crate::ports::sandbox::{FlattenBackupOptions, StoredBackup};
use crate::sandbox::backup::Backup;
use crate::sandbox::backup::archive::{
    ARCHIVE_LIMIT_MS, Archive, no_room, parse, took_long, tool_missing,
};
use crate::sandbox::backup::fetch::{archive_path, archives, check_archives, extract_arguments};
use crate::sandbox::backup::restore::at_work;
use crate::sandbox::scripts::{bounded, complaint, status};

/// A script that extracts the archives of a backup, and archives their files.
pub(crate) struct Repack<'a> {
    pub(crate) script: &'a str,
    /// Its arguments before those that name the archives.
    pub(crate) arguments: &'a [&'a str],
    /// The beginning of the error if the script fails.
    pub(crate) failure: String,
}

impl Backup<'_> {
    /// Downloads the archives of a backup, and makes one archive of their files. Leaves the
    /// workspace's directories alone.
    pub(crate) async fn repack(
        &self,
        repack: Repack<'_>,
        backup: &StoredBackup,
        meta: &BackupMeta,
        bucket: &dyn Bucket,
        options: &FlattenBackupOptions,
    ) -> Result<Archive> {
        let archives = archives(meta);
        check_archives(bucket, &archives).await?;
        self.container.require_disk(options.instance_id.as_ref()).await?;
        self.check_room(&archives).await?;
        // The script removes prepared archives.
        self.backups.prepared.forget();
        let path = archive_path(&self.context.new_tag()?);
        if let Err(error) = self.download_archives(&backup.binding, &archives, &path).await {
            return Err(self.container.explain(error).await);
        }
        self.backups.stoppable.check(&backup.id)?;
        let chain = extract_arguments(&path, &archives);
        let mut arguments = repack.arguments.to_vec();
        arguments.extend(chain.iter().map(String::as_str));
        let command = bounded(repack.script, &arguments, &backup.id, ARCHIVE_LIMIT_MS);
        let output = self.container.run(&command).await?;
        if output.exit_code != 0 {
            // The script removes the archives, unless it was killed.
            self.discard(&path, &archives).await;
            return Err(judge(&output, &backup.id, &archives, &repack.failure));
        }
        // The result is on the last line; each line ends with a newline.
        parse(output.stdout.split(|byte| *byte == b'\n').rev().nth(1).unwrap_or_default())
    }
}

fn judge(output: &Output, id: &BackupId, archives: &Chain, failure: &str) -> Error {
    let said = complaint(output);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let position = stdout.lines().filter_map(at_work).next_back().unwrap_or_default();
    let at_work = archives.parts().get(position).map_or(id, |part| &part.id);
    match output.exit_code {
        status::CHECKSUM => Error::new(
            ErrorCode::Integrity,
            format!("the archive of backup {at_work} is not the one that was made: {said}"),
        ),
        status::TOOL_MISSING => tool_missing(said),
        status::BUSY => Error::new(ErrorCode::Unavailable, said),
        status::NO_ROOM => no_room(said),
        status::TOOK_LONG | status::LIMIT => took_long(said),
        _ => Error::new(ErrorCode::BackupFailed, format!("{failure}: {said}")),
    }
}
