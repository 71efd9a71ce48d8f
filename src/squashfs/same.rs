//! Compares everything that a restore brings back from two trees.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::limits::FLATTEN_COMPARED_AT_ONCE;
use crate::squashfs::inode::{FileId, Node, NodeKind};
use crate::squashfs::layered::LayeredTree;
use crate::squashfs::xattr::Xattr;
use std::collections::BTreeMap;

/// Finds the first path at which two trees differ, in the order of a walk. Compares names, types,
/// modes, owners, times, link targets, devices, contents, the extended attributes that snapshots
/// keep, and which names are the same file. Ignores which archive has what, and a file's number of
/// links, because a layer may have removed some of them.
///
/// # Errors
/// `TOO_LARGE` above `max_bytes` of content or `max_paths` paths; the errors of the archives.
pub async fn first_difference(
    one: &LayeredTree,
    other: &LayeredTree,
    max_bytes: u64,
    max_paths: u64,
) -> Result<Option<Vec<u8>>> {
    let mut compared =
        Compared { one, other, max_bytes, left_bytes: max_bytes, files: BTreeMap::new() };
    let mut left_paths = max_paths;
    if !compared.is_same(one.root(), other.root()).await? {
        return Ok(Some(b".".to_vec()));
    }
    let (mut walk, mut beside) = (one.walk(one.root()), other.walk(other.root()));
    loop {
        match (walk.next().await?, beside.next().await?) {
            (None, None) => return Ok(None),
            (Some((path, _)), None) | (None, Some((path, _))) => return Ok(Some(path)),
            (Some((path, node)), Some((other_path, other_node))) => {
                left_paths = left_paths
                    .checked_sub(1)
                    .ok_or_else(|| too_large(&format!("more than {max_paths} paths")))?;
                if path != other_path {
                    return Ok(Some(path.min(other_path)));
                }
                if !compared.is_same(&node, &other_node).await? {
                    return Ok(Some(path));
                }
            }
        }
    }
}

struct Compared<'a> {
    one: &'a LayeredTree,
    other: &'a LayeredTree,
    max_bytes: u64,
    /// Bytes of content that may still be compared.
    left_bytes: u64,
    /// Files with several names that have been found in both trees.
    files: BTreeMap<(bool, FileId), FileId>,
}

impl Compared<'_> {
    async fn is_same(&mut self, node: &Node, other: &Node) -> Result<bool> {
        let same_attributes = node.kind == other.kind
            && (node.mode, node.uid, node.gid) == (other.mode, other.uid, other.gid)
            && node.modified_at_secs == other.modified_at_secs;
        if !same_attributes
            || kept(self.one.xattrs(node).await?) != kept(self.other.xattrs(other).await?)
        {
            return Ok(false);
        }
        let NodeKind::File { size_bytes } = node.kind else { return Ok(true) };
        if node.links > 1 || other.links > 1 {
            let (id, other_id) = (node.file_id(), other.file_id());
            let known = self.files.insert((true, id), other_id);
            let known_other = self.files.insert((false, other_id), id);
            match (known, known_other) {
                (None, None) => {}
                // The file's content was compared under its first name.
                (Some(known), Some(known_other)) => {
                    return Ok((known, known_other) == (other_id, id));
                }
                _ => return Ok(false),
            }
        }
        self.has_same_content(node, other, size_bytes).await
    }

    async fn has_same_content(
        &mut self,
        node: &Node,
        other: &Node,
        size_bytes: u64,
    ) -> Result<bool> {
        self.left_bytes = self
            .left_bytes
            .checked_sub(size_bytes)
            .ok_or_else(|| too_large(&format!("files of more than {} bytes", self.max_bytes)))?;
        let mut offset = 0;
        while offset < size_bytes {
            let content = self.one.read(node, offset, FLATTEN_COMPARED_AT_ONCE).await?;
            if content != self.other.read(other, offset, FLATTEN_COMPARED_AT_ONCE).await? {
                return Ok(false);
            }
            offset += FLATTEN_COMPARED_AT_ONCE;
        }
        Ok(true)
    }
}

/// The attributes that archives keep, in the order of their names. An archive of
/// `@cloudflare/sandbox` may have others, which our restore does not bring back.
fn kept(mut xattrs: Vec<Xattr>) -> Vec<Xattr> {
    xattrs.retain(|xattr| xattr.name.starts_with(b"user.") || xattr.name == b"security.capability");
    xattrs.sort_by(|one, other| one.name.cmp(&other.name));
    xattrs
}

fn too_large(has: &str) -> Error {
    let message = format!("the snapshot has {has}, so its full archive can't be compared with it");
    Error::new(ErrorCode::TooLarge, message).with_hint(
        "the snapshot is as it was; restore it into a workspace, and take a full snapshot of that",
    )
}
