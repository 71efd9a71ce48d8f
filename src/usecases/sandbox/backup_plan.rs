//! What `createBackup` was asked for, checked.

use super::scripts::OWN_DIR;
use crate::domain::backup::{BackupDir, Compression, Ttl};
use crate::domain::config::DEFAULT_BACKUP_BINDING;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{BackupId, InstanceId};
use crate::domain::snapshot::check_name;
use crate::ports::random::{Random, random_bytes};
use crate::ports::sandbox::{BackupProvenance, CreateBackupOptions, KnownArchive, StoredBackup};

const EXCLUDES_MAX: usize = 1_000;
const EXCLUDES_MAX_BYTES: usize = 64 * 1024;
const THREADS_MAX: u32 = 64;

/// A backup to make, checked.
pub(super) struct Plan {
    pub(super) id: BackupId,
    pub(super) dir: BackupDir,
    pub(super) name: Option<String>,
    pub(super) ttl: Ttl,
    pub(super) gitignore: bool,
    pub(super) excludes: Vec<String>,
    pub(super) compression: Compression,
    pub(super) threads: Option<u32>,
    pub(super) binding: String,
    pub(super) provenance: Option<BackupProvenance>,
    pub(super) unless_equal: Option<KnownArchive>,
    pub(super) prepare_restore: Option<StoredBackup>,
    pub(super) expected: Option<InstanceId>,
    /// The archive on the container's disk.
    pub(super) archive_path: String,
}

impl Plan {
    pub(super) fn check(options: CreateBackupOptions, random: &dyn Random) -> Result<Self> {
        if let Some(name) = &options.name {
            check_name(name)?;
        }
        check_excludes(&options.excludes)?;
        let threads = options.compression.threads;
        if threads.is_some_and(|threads| !(1..=THREADS_MAX).contains(&threads)) {
            return Err(Error::invalid(
                "compression.threads",
                format!("must be 1 to {THREADS_MAX}"),
            ));
        }
        let id = match options.id {
            Some(id) => id,
            None => BackupId::from_random(random_bytes(random)?),
        };
        let binding = options
            .snapshotter
            .as_ref()
            .map_or_else(|| DEFAULT_BACKUP_BINDING.to_owned(), |ours| ours.binding.clone());
        Ok(Self {
            archive_path: format!("{OWN_DIR}/backup-{id}.sqsh"),
            id,
            dir: options.dir,
            name: options.name,
            ttl: options.ttl,
            gitignore: options.gitignore,
            excludes: options.excludes,
            compression: options.compression.format,
            threads,
            binding,
            provenance: options.snapshotter,
            unless_equal: options.unless_equal,
            prepare_restore: options.prepare_restore,
            expected: options.instance_id,
        })
    }
}

fn check_excludes(excludes: &[String]) -> Result<()> {
    let bytes: usize = excludes.iter().map(String::len).sum();
    if excludes.len() > EXCLUDES_MAX || bytes > EXCLUDES_MAX_BYTES {
        return Err(Error::invalid(
            "excludes",
            format!("must be at most {EXCLUDES_MAX} patterns of {EXCLUDES_MAX_BYTES} bytes in all"),
        ));
    }
    for pattern in excludes {
        // mksquashfs reads these as something else than a path below the directory, or as nothing.
        let misread = pattern.is_empty()
            || pattern.contains('\0')
            || pattern.starts_with('/')
            || pattern.split('/').any(|segment| segment == "." || segment == "..");
        if misread {
            return Err(Error::invalid(
                "excludes",
                format!("{pattern:?} must be relative to dir, without . and .. segments"),
            ));
        }
    }
    Ok(())
}
