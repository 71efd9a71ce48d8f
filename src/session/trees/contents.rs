//! Read contents of files of a tree, wherever it is.

use crate::domain::error::Result;
use crate::domain::limits::{ARCHIVE_CHUNK_BYTES, TREE_CONTENT_MAX_BYTES};
use crate::domain::tree::changes::Hashes;
use crate::session::snapshots::files::archives::OpenSnapshot;
use crate::session::trees::tree::Tree;
use crate::squashfs::{Node, NodeKind};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Files whose hashes a container is asked for at once.
const HASHES_AT_ONCE: usize = 5_000;

/// The beginning of a file, and the size of all of it.
pub(crate) type Content = (Vec<u8>, u64);

impl Tree {
    /// SHA-256 of files, given with their sizes, up to 64 MiB of an archive's. A file
    /// that is not there, or beyond that, is left out.
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
                for (path, size_bytes) in files {
                    let Some(rest) = left.checked_sub(*size_bytes) else { continue };
                    if let Some(hash) = hash(snapshot, path).await? {
                        left = rest;
                        hashes.insert(path.to_vec(), hash);
                    }
                }
            }
        }
        Ok(hashes)
    }

    /// The first `max_bytes` of each file. One that is not there is left out.
    pub(crate) async fn contents(
        &self,
        paths: &[&[u8]],
        max_bytes: u64,
    ) -> Result<BTreeMap<Vec<u8>, Content>> {
        match self {
            Self::Empty { .. } => Ok(BTreeMap::new()),
            Self::Live(live) => live.contents(paths, max_bytes).await,
            Self::Archive { snapshot, .. } => {
                let mut contents = BTreeMap::new();
                for path in paths {
                    let Some((node, size_bytes)) = file(snapshot, path).await? else { continue };
                    let content =
                        snapshot.archive.read(&node, 0, size_bytes.min(max_bytes)).await?;
                    contents.insert(path.to_vec(), (content, size_bytes));
                }
                Ok(contents)
            }
        }
    }
}

async fn file(open: &OpenSnapshot, path: &[u8]) -> Result<Option<(Node, u64)>> {
    let node = open.archive.find(path).await?;
    Ok(node.and_then(|node| match node.kind {
        NodeKind::File { size_bytes } => Some((node, size_bytes)),
        _ => None,
    }))
}

async fn hash(open: &OpenSnapshot, path: &[u8]) -> Result<Option<[u8; 32]>> {
    let Some((node, size_bytes)) = file(open, path).await? else { return Ok(None) };
    let mut hash = Sha256::new();
    let mut at = 0;
    while at < size_bytes {
        let bytes = open.archive.read(&node, at, ARCHIVE_CHUNK_BYTES).await?;
        at += bytes.len() as u64;
        hash.update(&bytes);
        if bytes.is_empty() {
            break;
        }
    }
    Ok(Some(hash.finalize().into()))
}
