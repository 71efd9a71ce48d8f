//! Looks at everything in an archive of any bytes, within bounds. The tests in
//! `tests/squashfs` look the same way.

use async_trait::async_trait;
use futures::executor::block_on;
use snapshotter::domain::error::{ErrorCode, Result};
use snapshotter::ports::bucket::ranges::Ranges;
use snapshotter::squashfs::{ArchiveSource, Cache, LayeredTree, Node, NodeKind};
use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

const NODES_MAX: usize = 300;
const PAGE: usize = 7;
const READ_BYTES: u64 = 10_000;

/// What was seen of an archive.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub nodes: usize,
    pub content_bytes: usize,
    pub xattrs: usize,
    pub errors: usize,
}

/// The archive, which refuses to be read outside of its bytes.
struct Bytes {
    bytes: Vec<u8>,
    reads: Cell<usize>,
}

#[async_trait(?Send)]
impl Ranges for Bytes {
    fn size_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    async fn read(&self, offset: u64, len_bytes: u64) -> Result<Vec<u8>> {
        let end = offset.checked_add(len_bytes).filter(|end| *end <= self.size_bytes());
        assert!(end.is_some(), "{len_bytes} bytes from {offset} on are outside");
        self.reads.set(self.reads.get() + 1);
        Ok(self.bytes[offset as usize..end.unwrap() as usize].to_vec())
    }
}

impl Seen {
    /// A damaged archive is said to be so, in words.
    fn check<T>(&mut self, result: Result<T>) -> Option<T> {
        result
            .inspect_err(|error| {
                let codes = [ErrorCode::Integrity, ErrorCode::Unsupported];
                assert!(codes.contains(&error.code), "{error:?}");
                assert!(error.message.len() > 10, "{error:?}");
                self.errors += 1;
            })
            .ok()
    }
}

/// Opens, walks, lists, finds, and reads contents and extended attributes.
pub fn look(data: &[u8]) -> Seen {
    let mut seen = Seen::default();
    let bytes = Rc::new(Bytes { bytes: data.to_vec(), reads: Cell::new(0) });
    block_on(look_at(&mut seen, vec![bytes.clone()]));
    // A node is walked to, found, listed and read at six places.
    let reads = bytes.reads.get();
    assert!(reads <= 50 * (seen.nodes + 2), "{reads} reads of {} nodes", seen.nodes);
    // As a layer on itself, it is all there, but for what it would remove.
    let mut layered = Seen::default();
    block_on(look_at(&mut layered, vec![bytes.clone(), bytes]));
    assert!(seen.errors > 0 || layered.nodes <= seen.nodes, "{layered:?} of {seen:?}");
    seen
}

async fn look_at(seen: &mut Seen, archives: Vec<Rc<dyn Ranges>>) {
    let sources = archives.into_iter().enumerate().map(|(layer, ranges)| ArchiveSource {
        ranges,
        key: layer.to_string(),
        name: "it".to_owned(),
    });
    let opened = LayeredTree::open(sources.collect(), &Rc::new(Cache::new(1 << 20))).await;
    let Some(archive) = seen.check(opened) else { return };
    let root = archive.root().clone();
    assert_eq!(root.kind, NodeKind::Directory);
    let mut walked = vec![(Vec::new(), root.clone())];
    let mut walk = archive.walk(&root);
    while walked.len() < NODES_MAX {
        let Some(Some((path, node))) = seen.check(walk.next().await) else { break };
        walked.push((path, node));
    }
    let paths: HashSet<&[u8]> = walked.iter().map(|(path, _)| path.as_slice()).collect();
    assert_eq!(paths.len(), walked.len(), "a path comes twice");
    for (path, node) in &walked {
        seen.nodes += 1;
        assert!(!path.starts_with(b"/") && !path.contains(&0), "{path:?}");
        // An index of a damaged directory may lead past the entry.
        if let Some(Some(found)) = seen.check(archive.find(path).await) {
            assert_eq!((found.inode, &found.kind), (node.inode, &node.kind));
        }
        look_at_node(seen, &archive, node).await;
    }
}

async fn look_at_node(seen: &mut Seen, archive: &LayeredTree, node: &Node) {
    assert_eq!(node.mode & !0o7777, 0);
    if let Some(xattrs) = seen.check(archive.xattrs(node).await) {
        seen.xattrs += xattrs.len();
    }
    match &node.kind {
        NodeKind::File { size_bytes } => {
            for offset in
                [0, 1, size_bytes / 2, size_bytes.saturating_sub(1), *size_bytes, u64::MAX]
            {
                let read = archive.read(node, offset, READ_BYTES).await;
                let Some(content) = seen.check(read) else { continue };
                let expected = READ_BYTES.min(size_bytes.saturating_sub(offset));
                assert_eq!(content.len() as u64, expected);
                seen.content_bytes += content.len();
            }
        }
        NodeKind::Directory => {
            let mut after: Option<Vec<u8>> = None;
            for _ in 0..NODES_MAX / PAGE {
                let page = archive.entries(node, after.as_deref(), PAGE).await;
                let Some(page) = seen.check(page) else { break };
                assert!(page.len() <= PAGE);
                for entry in &page {
                    let name = entry.name.as_slice();
                    assert!(!matches!(name, b"" | b"." | b".."), "{name:?}");
                    assert!(!name.iter().any(|byte| matches!(byte, 0 | b'/')), "{name:?}");
                    assert!(after.as_deref().is_none_or(|after| after < name), "{name:?}");
                    after = Some(name.to_vec());
                }
                if page.len() < PAGE {
                    break;
                }
            }
        }
        NodeKind::Symlink { target } => assert!(target.len() <= 65_536),
        _ => {}
    }
}
