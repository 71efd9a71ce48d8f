//! The reader of tar archives that are compressed with zstd: those of GNU tar and of Python,
//! and damaged, malicious and huge ones.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

#[path = "../support/mod.rs"]
mod support;

#[path = "../../fuzz/src/tar_zst.rs"]
mod look;

#[path = "../squashfs/memory.rs"]
mod memory;

mod archive;
mod bounds;
mod frames;
mod hostile;
mod trees;
mod writers;

use crate::look::NoClock;
use crate::support::ranges::MemoryRanges;
use futures::executor::block_on;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::domain::limits::TAR_WORK_MAX_BYTES;
use snapshotter::squashfs::{Node, NodeKind};
use snapshotter::tar_zst::{TarMemory, TarSource, TarTree, Work};
use std::rc::Rc;

/// An archive, called one call at a time.
struct Reader {
    tree: TarTree,
}

fn compressed(tar: &[u8]) -> Vec<u8> {
    compress_to_vec(tar, CompressionLevel::Fastest)
}

fn open_with(ranges: Rc<MemoryRanges>, memory: &TarMemory, work: u64) -> Result<Reader> {
    let source = TarSource { ranges, key: "key".to_owned(), name: "backup x".to_owned() };
    let tree = block_on(TarTree::open(source, memory, Rc::new(NoClock), Work::new(work)))?;
    Ok(Reader { tree })
}

fn open(bytes: Vec<u8>) -> Result<Reader> {
    open_with(MemoryRanges::new(bytes), &TarMemory::default(), TAR_WORK_MAX_BYTES)
}

fn open_tar(tar: &[u8]) -> Result<Reader> {
    open(compressed(tar))
}

/// Why an archive is refused.
fn refusal(tar: &[u8]) -> Error {
    let error = open_tar(tar).err().expect("it is refused");
    assert!(error.message.starts_with("backup x: "), "{error}");
    error
}

fn code(error: &Error) -> ErrorCode {
    error.code
}

impl Reader {
    fn node(&self, path: &str) -> Node {
        self.tree.find(path.as_bytes()).unwrap().unwrap_or_else(|| panic!("{path} is not there"))
    }

    fn read(&self, path: &str, offset: u64, len_bytes: u64) -> Result<Vec<u8>> {
        block_on(self.tree.read(&self.node(path), offset, len_bytes))
    }

    fn content(&self, path: &str) -> Vec<u8> {
        self.read(path, 0, u64::MAX).unwrap()
    }

    /// Paths, as a walk finds them.
    fn paths(&self) -> Vec<String> {
        let mut walk = self.tree.walk(self.tree.root());
        let mut paths = Vec::new();
        while let Some((path, _)) = walk.next_found() {
            paths.push(String::from_utf8(path).unwrap());
        }
        paths
    }

    fn target(&self, path: &str) -> Vec<u8> {
        match self.node(path).kind {
            NodeKind::Symlink { target } => target,
            other => panic!("{path} is {other:?}"),
        }
    }
}
