//! Checks the options of `createBackup`.

use crate::domain::error::{Error, Result};
use crate::domain::ids::{BackupId, InstanceId};
use crate::domain::session::config::DEFAULT_BACKUP_BINDING;
use crate::domain::snapshot::annotations::check_name;
use crate::domain::snapshot::backup::machine::MachinePart;
use crate::domain::snapshot::backup::{BackupDir, SnapshotKind, Ttl};
use crate::domain::snapshot::chain::Chain;
use crate::ports::random::{Random, random_bytes};
use crate::ports::sandbox::{BackupProvenance, CreateBackupOptions, KnownArchive, StoredBackup};
use crate::sandbox::backup::manifest::manifest_path;
use crate::sandbox::scripts::OWN_DIR;

pub(crate) struct Plan {
    pub(crate) id: BackupId,
    pub(crate) dir: BackupDir,
    /// The tree to archive, if it is not `dir`.
    pub(crate) tree: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) ttl: Ttl,
    pub(crate) binding: String,
    pub(crate) provenance: Option<BackupProvenance>,
    pub(crate) unless_equal: Option<KnownArchive>,
    /// The archives below the layer that the backup may become.
    pub(crate) base: Chain,
    /// The archive of the last known machine, which the backup may share.
    pub(crate) known_machine: Option<MachinePart>,
    pub(crate) prepare_restore: Option<StoredBackup>,
    pub(crate) expected: Option<InstanceId>,
    pub(crate) archive_path: String,
}

impl Plan {
    pub(crate) fn check(options: CreateBackupOptions, random: &dyn Random) -> Result<Self> {
        if let Some(name) = &options.name {
            check_name(name)?;
        }
        let id = match options.id {
            Some(id) => id,
            None => BackupId::from_random(random_bytes(random)?),
        };
        let binding = options
            .snapshotter
            .as_ref()
            .map_or_else(|| DEFAULT_BACKUP_BINDING.to_owned(), |ours| ours.binding.clone());
        // Only our part of meta.json can name a chain.
        let base = if options.snapshotter.is_some() { options.base } else { Chain::NONE };
        if !base.is_empty() {
            base.check(&id, SnapshotKind::Layer).map_err(|wrong| Error::invalid("base", wrong))?;
        }
        Ok(Self {
            archive_path: format!("{OWN_DIR}/backup-{id}.sqsh"),
            id,
            dir: options.dir,
            tree: None,
            name: options.name,
            ttl: options.ttl,
            binding,
            provenance: options.snapshotter,
            unless_equal: options.unless_equal,
            base,
            known_machine: options.known_machine,
            prepare_restore: options.prepare_restore,
            expected: options.instance_id,
        })
    }

    pub(crate) fn source(&self) -> &str {
        self.tree.as_deref().unwrap_or_else(|| self.dir.as_str())
    }

    pub(crate) fn manifest(&self) -> String {
        self.tree
            .as_ref()
            .map_or_else(|| manifest_path(&self.dir), |tree| format!("{tree}.manifest"))
    }
}
