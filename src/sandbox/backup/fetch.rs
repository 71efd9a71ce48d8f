//! Downloads a backup's archive, and those of its chain, to the container's disk.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::ids::BackupId;
use crate::domain::snapshot::backup::{SnapshotKind, archive_key};
use crate::domain::snapshot::chain::{Chain, Part};
use crate::domain::snapshot::gone;
use crate::domain::snapshot::meta::BackupMeta;
use crate::ports::bucket::Bucket;
use crate::ports::container::{Output, StoredObject};
use crate::sandbox::backup::Backup;
use crate::sandbox::scripts::{OWN_DIR, bounded, complaint, remove, status};
use futures::future::{join_all, try_join_all};

pub(crate) const EXTRACT_LIMIT_MS: u64 = 3_600_000;

/// The archives of a backup, in the order of their application. A backup of `@cloudflare/sandbox`
/// has no SHA-256.
pub(crate) fn archives(meta: &BackupMeta) -> Chain {
    let sha256 = meta.snapshotter.as_ref().map_or_else(String::new, |ours| ours.sha256.clone());
    meta.chain().with(Part { id: meta.id.clone(), size_bytes: meta.size_bytes, sha256 })
}

/// The path of a downloaded full archive. The next backup or restore removes leftovers.
pub(crate) fn archive_path(tag: &str) -> String {
    format!("{OWN_DIR}/restore-{tag}.sqsh")
}

/// The download paths of a chain. `path` is that of the full archive.
fn paths(path: &str, archives: &Chain) -> Vec<String> {
    let layers = (1..archives.parts().len()).map(|position| format!("{path}.{position}"));
    std::iter::once(path.to_owned()).chain(layers).collect()
}

/// Arguments of the scripts that extract a chain: path and SHA-256 of each archive.
pub(crate) fn extract_arguments(path: &str, archives: &Chain) -> Vec<String> {
    let paths = paths(path, archives).into_iter().zip(archives.parts());
    paths.flat_map(|(path, part)| [path, part.sha256.clone()]).collect()
}

pub(crate) async fn check_archives(bucket: &dyn Bucket, archives: &Chain) -> Result<()> {
    let checks = archives.archives().map(|(part, kind)| async move {
        let found = bucket.head(&archive_key(&part.id, kind)).await?;
        let found = found.ok_or_else(|| gone(&part.id, "has lost its archive in R2"))?;
        if found.size_bytes == part.size_bytes {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Integrity,
            format!(
                "the archive of backup {} has {} bytes in R2, and {} when it was made",
                part.id, found.size_bytes, part.size_bytes
            ),
        ))
    });
    try_join_all(checks).await.map(drop)
}

/// A script that stores archives from its standard input before it extracts them.
pub(crate) struct Receiving<'a> {
    pub(crate) id: &'a BackupId,
    pub(crate) binding: &'a str,
    pub(crate) archives: &'a Chain,
    /// Path of the full archive.
    pub(crate) path: &'a str,
    /// Whether the archives are on the container's disk already.
    pub(crate) prepared: bool,
}

impl Backup<'_> {
    /// Runs a script that includes receive.sh, with the archives as its stdin. If one does not
    /// arrive, none is left on the disk.
    pub(crate) async fn run_receiving(
        &self,
        receiving: &Receiving<'_>,
        source: &str,
        arguments: &[&str],
    ) -> Result<Output> {
        let Receiving { id, binding, archives, path, prepared } = receiving;
        let files = paths(path, archives).into_iter().zip(archives.archives());
        let files: Vec<_> = files.filter(|_| !prepared).collect();
        let count = files.len().to_string();
        let sizes: Vec<String> =
            files.iter().map(|(_, (part, _))| part.size_bytes.to_string()).collect();
        let mut all = vec![count.as_str()];
        for ((path, _), size) in files.iter().zip(&sizes) {
            all.extend([path.as_str(), size.as_str()]);
        }
        all.extend(arguments);
        let command = bounded(source, &all, id, EXTRACT_LIMIT_MS);
        if files.is_empty() {
            return self.container.run(&command).await;
        }
        let object = |(part, kind): &(&Part, SnapshotKind)| StoredObject {
            key: archive_key(&part.id, *kind),
            size_bytes: part.size_bytes,
        };
        let objects: Vec<_> = files.iter().map(|(_, part)| object(part)).collect();
        let output = self.container.run_with_objects(&command, binding, &objects).await;
        let failed = match &output {
            Ok(output) if output.exit_code != status::INCOMPLETE => return Ok(output.clone()),
            Ok(output) => Error::new(
                ErrorCode::RestoreFailed,
                "the archive did not arrive whole in the sandbox",
            )
            .with_outcome(Outcome::None)
            .with_cause(complaint(output)),
            Err(error) => error.clone(),
        };
        self.discard(path, archives).await;
        Err(failed)
    }

    /// Downloads all archives at once. If one download fails, no archive is left.
    pub(crate) async fn download_archives(
        &self,
        binding: &str,
        archives: &Chain,
        path: &str,
    ) -> Result<()> {
        let container = self.container.raw();
        let downloads = archives.archives().zip(paths(path, archives));
        let downloads = downloads.map(|((part, kind), path)| async move {
            container.download(binding, &archive_key(&part.id, kind), part.size_bytes, &path).await
        });
        // Waits for all: a download that is still under way would write its file after the removal.
        let downloaded: Result<Vec<()>> = join_all(downloads).await.into_iter().collect();
        if downloaded.is_err() {
            self.discard(path, archives).await;
        }
        downloaded.map(drop)
    }

    pub(crate) async fn discard(&self, path: &str, archives: &Chain) {
        if self.container.is_running() {
            let removed = self.container.run(&remove(&paths(path, archives))).await;
            self.context.note_leftover(removed.err());
        }
    }
}
