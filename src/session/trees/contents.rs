//! Read contents of files of a tree, wherever it is.

use crate::domain::Result;
use crate::domain::limits::{ARCHIVE_CHUNK_BYTES, TREE_CONTENT_MAX_BYTES};
use crate::domain::tree::changes::{Change, ChangeCounts, Hashes, changes, to_hash};
use crate::domain::tree::{Difference, TreeEntry};
use crate::session::parts::OpenSnapshot;
use crate::session::trees::differences::{Comparing, Differences, differences};
use crate::session::trees::tree::Tree;
use crate::squashfs::{Node, NodeKind};
use futures::{StreamExt, TryStreamExt, future, stream};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

const HASHES_AT_ONCE: usize = 5_000;

/// Two archives are read at the same time, and a Worker has six connections.
const READS_AT_ONCE: usize = 3;

/// The beginning of a file, and the size of all of it.
pub(crate) type Content = (Vec<u8>, u64);

impl Tree {
    /// SHA-256 of files, with sizes given. Leaves out missing ones, and an archive's past 64 MiB.
    pub(crate) async fn hashes(&self, files: &[(&[u8], u64)]) -> Result<Hashes> {
        let mut hashes = Hashes::new();
        match self {
            Self::Empty { .. } => {}
            Self::Live(live) => {
                for files in files.chunks(HASHES_AT_ONCE) {
                    let paths: Vec<&[u8]> = files.iter().map(|(path, _)| *path).collect();
                    hashes.extend(live.hashes(&paths).await?);
                }
            }
            Self::Archive { snapshot, .. } => {
                let mut left = TREE_CONTENT_MAX_BYTES;
                let mut paths = Vec::new();
                for (path, size_bytes) in files {
                    if let Some(rest) = left.checked_sub(*size_bytes) {
                        left = rest;
                        paths.push(*path);
                    }
                }
                hashes = each(snapshot, &paths, async |file, size_bytes| {
                    hash(snapshot, &file, size_bytes).await
                })
                .await?;
            }
        }
        Ok(hashes)
    }

    /// The first `max_bytes` of each file. Leaves out files that do not exist.
    pub(crate) async fn contents(
        &self,
        paths: &[&[u8]],
        max_bytes: u64,
    ) -> Result<BTreeMap<Vec<u8>, Content>> {
        match self {
            Self::Empty { .. } => Ok(BTreeMap::new()),
            Self::Live(live) => live.contents(paths, max_bytes).await,
            Self::Archive { snapshot, .. } => {
                each(snapshot, paths, async |file, size_bytes| {
                    let bytes = snapshot.tree.read(&file, 0, size_bytes.min(max_bytes)).await?;
                    Ok((bytes, size_bytes))
                })
                .await
            }
        }
    }
}

/// Reads several files at once. Leaves out files that do not exist.
async fn each<T>(
    open: &OpenSnapshot,
    paths: &[&[u8]],
    read: impl AsyncFn(Node, u64) -> Result<T>,
) -> Result<BTreeMap<Vec<u8>, T>> {
    let reading = paths.iter().map(async |path| -> Result<_> {
        match open.tree.find(path).await? {
            Some(file) if let NodeKind::File { size_bytes } = file.kind => {
                Ok(Some((path.to_vec(), read(file, size_bytes).await?)))
            }
            _ => Ok(None),
        }
    });
    let read = stream::iter(reading).buffer_unordered(READS_AT_ONCE);
    read.try_filter_map(future::ok).try_collect().await
}

pub(crate) async fn hash(open: &OpenSnapshot, file: &Node, size_bytes: u64) -> Result<[u8; 32]> {
    let mut hash = Sha256::new();
    let mut at = 0;
    while at < size_bytes {
        let bytes = open.tree.read(file, at, ARCHIVE_CHUNK_BYTES).await?;
        at += bytes.len() as u64;
        hash.update(&bytes);
        if bytes.is_empty() {
            break;
        }
    }
    Ok(hash.finalize().into())
}

pub(crate) struct Changed {
    /// Changes in the order of a walk.
    pub list: Vec<Change>,
    /// Changes that are only counted, by the outermost ignored directory or file.
    pub set_aside: BTreeMap<Vec<u8>, ChangeCounts>,
    /// As in [`Differences`].
    pub unread: u64,
}

/// Compares metadata first, and contents where metadata do not decide. `base`: see [`differences`].
pub(crate) async fn changed(
    old: &Tree,
    new: &Tree,
    base: &Tree,
    comparing: &Comparing,
) -> Result<Changed> {
    let Differences { list, set_aside, unread, .. } =
        differences(old, new, base, comparing).await?;
    Ok(Changed { list: classify(list, old, new, true).await?, set_aside, unread })
}

pub(crate) async fn classify(
    list: Vec<Difference>,
    old: &Tree,
    new: &Tree,
    renames: bool,
) -> Result<Vec<Change>> {
    let (olds, news) = to_hash(&list, renames);
    let olds = sized(&olds, |difference| difference.old.as_ref());
    let news = sized(&news, |difference| difference.new.as_ref());
    let (old_hashes, new_hashes) = futures::try_join!(old.hashes(&olds), new.hashes(&news))?;
    drop((olds, news));
    Ok(changes(list, &old_hashes, &new_hashes))
}

fn sized<'a>(
    of: &[&'a Difference],
    side: impl Fn(&'a Difference) -> Option<&'a TreeEntry>,
) -> Vec<(&'a [u8], u64)> {
    let sized = |difference: &&'a Difference| {
        let size = side(difference).and_then(TreeEntry::file_bytes)?;
        Some((difference.path.as_slice(), size))
    };
    of.iter().filter_map(sized).collect()
}
