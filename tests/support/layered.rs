//! Layers as one tree.

use super::ranges::MemoryRanges;
use futures::executor::block_on;
use snapshotter::domain::error::Result;
use snapshotter::domain::limits::ARCHIVE_CACHE_BYTES;
use snapshotter::squashfs::{ArchiveSource, Cache, LayeredTree, Node, NodeKind, Walk, Xattr};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Opens a full archive and layers, each by its place.
pub fn open(archives: &[Vec<u8>]) -> Result<LayeredTree> {
    let sources = archives.iter().enumerate().map(|(layer, bytes)| ArchiveSource {
        ranges: MemoryRanges::new(bytes.clone()),
        key: layer.to_string(),
        name: format!("archive {layer}"),
    });
    block_on(LayeredTree::open(sources.collect(), &Rc::new(Cache::new(ARCHIVE_CACHE_BYTES))))
}

/// What a reader sees of a node, apart from where it is.
#[derive(Debug, PartialEq)]
pub struct Seen {
    pub path: Vec<u8>,
    pub kind: NodeKind,
    pub mode: u32,
    pub owner: (u32, u32),
    pub secs: u32,
    /// Paths of the same file.
    pub links: BTreeSet<Vec<u8>>,
    pub content: Vec<u8>,
    pub xattrs: Vec<Xattr>,
}

/// All that a walk still finds.
pub async fn rest(mut walk: Walk<'_>) -> Vec<(Vec<u8>, Node)> {
    let mut found = Vec::new();
    while let Some(node) = walk.next().await.unwrap() {
        found.push(node);
    }
    found
}

/// All nodes of a tree, the root first.
pub async fn seen(tree: &LayeredTree) -> Vec<Seen> {
    let mut nodes = vec![(Vec::new(), tree.root().clone())];
    nodes.extend(rest(tree.walk(tree.root())).await);
    let mut links: BTreeMap<_, BTreeSet<Vec<u8>>> = BTreeMap::new();
    for (path, node) in &nodes {
        links.entry(node.file_id()).or_default().insert(path.clone());
    }
    let mut seen = Vec::new();
    for (path, node) in nodes {
        assert_eq!(tree.find(&path).await.unwrap(), Some(node.clone()), "{path:?}");
        let content = match node.kind {
            NodeKind::File { size_bytes } => tree.read(&node, 0, size_bytes).await.unwrap(),
            _ => Vec::new(),
        };
        let links = links[&node.file_id()].clone();
        if node.kind != NodeKind::Directory {
            assert_eq!(node.links as usize, links.len(), "{path:?}");
        }
        let xattrs = tree.xattrs(&node).await.unwrap();
        let (kind, mode, secs) = (node.kind, node.mode, node.modified_at_secs);
        let owner = (node.uid, node.gid);
        seen.push(Seen { path, kind, mode, owner, secs, links, content, xattrs });
    }
    seen
}
