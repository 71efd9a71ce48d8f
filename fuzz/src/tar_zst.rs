//! Looks at everything in a tar archive of any bytes, within bounds. The tests in
//! `tests/tar_zst` look the same way.

use async_trait::async_trait;
use futures::executor::block_on;
use snapshotter::domain::error::{ErrorCode, Result};
use snapshotter::ports::bucket::ranges::Ranges;
use snapshotter::ports::clock::Clock;
use snapshotter::squashfs::{Node, NodeKind};
use snapshotter::tar_zst::{TarMemory, TarSource, TarTree, Work};
use std::collections::HashSet;
use std::rc::Rc;

const NODES_MAX: usize = 200;
const PAGE: usize = 7;
const READ_BYTES: u64 = 10_000;
const WORK_BYTES: u64 = 64 * 1024 * 1024;
/// Of a block, as zstd has it.
const BLOCK_MAX_BYTES: usize = 128 * 1024;

/// What was seen of an archive.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub nodes: usize,
    pub content_bytes: usize,
    pub errors: usize,
}

/// The archive, which refuses to be read outside of its bytes.
pub struct Bytes(pub Vec<u8>);

#[async_trait(?Send)]
impl Ranges for Bytes {
    fn size_bytes(&self) -> u64 {
        self.0.len() as u64
    }

    async fn read(&self, offset: u64, len_bytes: u64) -> Result<Vec<u8>> {
        let end = offset.checked_add(len_bytes).filter(|end| *end <= self.size_bytes());
        assert!(end.is_some(), "{len_bytes} bytes from {offset} on are outside");
        Ok(self.0[offset as usize..end.unwrap() as usize].to_vec())
    }
}

/// Nothing waits here.
pub struct NoClock;

#[async_trait(?Send)]
impl Clock for NoClock {
    fn now_ms(&self) -> i64 {
        0
    }

    async fn sleep_ms(&self, _ms: u64) {}
}

/// Bytes as zstd has them without compressing them.
pub fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x58];
    let mut blocks = bytes.chunks(BLOCK_MAX_BYTES).peekable();
    if blocks.peek().is_none() {
        frame.extend([1, 0, 0]);
    }
    while let Some(block) = blocks.next() {
        let header = u32::from(blocks.peek().is_none()) | (block.len() as u32) << 3;
        frame.extend(&header.to_le_bytes()[..3]);
        frame.extend(block);
    }
    frame
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

/// Looks at the bytes as an archive, and at what they are as a tar archive that is not compressed.
pub fn look_both(data: &[u8]) {
    look(data);
    look(&stored(data));
}

/// Opens, walks, lists, finds, and reads contents.
pub fn look(data: &[u8]) -> Seen {
    let mut seen = Seen::default();
    block_on(look_at(&mut seen, data));
    seen
}

async fn look_at(seen: &mut Seen, data: &[u8]) {
    let source = TarSource {
        ranges: Rc::new(Bytes(data.to_vec())),
        key: "archive".to_owned(),
        name: "it".to_owned(),
    };
    let (memory, work) = (TarMemory::default(), Work::new(WORK_BYTES));
    let opened = TarTree::open(source, &memory, Rc::new(NoClock), work).await;
    let Some(tree) = seen.check(opened) else { return };
    let root = tree.root().clone();
    assert_eq!(root.kind, NodeKind::Directory);
    let mut walked = vec![(Vec::new(), root.clone())];
    let mut walk = tree.walk(&root);
    while walked.len() < NODES_MAX {
        let Some((path, node)) = walk.next_found() else { break };
        walked.push((path, node));
    }
    let paths: HashSet<&[u8]> = walked.iter().map(|(path, _)| path.as_slice()).collect();
    assert_eq!(paths.len(), walked.len(), "a path comes twice");
    for (path, node) in &walked {
        seen.nodes += 1;
        assert!(!path.starts_with(b"/") && !path.contains(&0), "{path:?}");
        let names = path.split(|byte| *byte == b'/');
        assert!(path.is_empty() || names.clone().all(|name| !matches!(name, b"" | b"." | b"..")));
        let above = path.iter().rposition(|byte| *byte == b'/').and_then(|end| path.get(..end));
        if let Some(above) = above {
            assert!(paths.contains(above), "{path:?} has nothing above it");
        }
        assert_eq!(tree.find(path).unwrap().as_ref(), Some(node), "{path:?}");
        look_at_node(seen, &tree, node).await;
    }
}

async fn look_at_node(seen: &mut Seen, tree: &TarTree, node: &Node) {
    assert_eq!(node.mode & !0o1777, 0);
    match &node.kind {
        NodeKind::File { size_bytes } => {
            for offset in [0, size_bytes / 2, size_bytes.saturating_sub(1), *size_bytes, u64::MAX] {
                let read = tree.read(node, offset, READ_BYTES).await;
                let Some(content) = seen.check(read) else { continue };
                assert_eq!(content.len() as u64, READ_BYTES.min(size_bytes.saturating_sub(offset)));
                seen.content_bytes += content.len();
            }
        }
        NodeKind::Directory => {
            let mut after: Option<Vec<u8>> = None;
            for _ in 0..NODES_MAX / PAGE {
                let page = tree.entries(node, after.as_deref(), PAGE).unwrap();
                assert!(page.len() <= PAGE);
                for entry in &page {
                    assert!(after.as_deref().is_none_or(|after| after < entry.name.as_slice()));
                    assert_eq!(tree.child(node, &entry.name).as_ref(), Some(&entry.node));
                    after = Some(entry.name.clone());
                }
                if page.len() < PAGE {
                    break;
                }
            }
        }
        NodeKind::Symlink { target } => assert!(!target.is_empty() && target.len() <= 4_096),
        _ => {}
    }
}
