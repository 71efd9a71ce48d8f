//! The reader of archives, on archives written by hand: damaged, malicious, huge.
//! `tests/machine/squashfs` compares it with `unsquashfs`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

#[path = "../support/mod.rs"]
mod support;

#[path = "../../fuzz/src/squashfs.rs"]
mod look;

mod damage;
mod directories;
mod files;
mod fixtures;
mod huge;
mod layers;
mod memory;
mod metadata;
mod reads;
mod same;
mod xattrs;

use crate::support::ranges::MemoryRanges;
use crate::support::squashfs;
use futures::executor::block_on;
use snapshotter::domain::error::{ErrorCode, Result};
use snapshotter::domain::limits::ARCHIVE_CACHE_BYTES;
use snapshotter::squashfs::{Cache, Entry, LayeredTree, Node};
use std::rc::Rc;

const CACHE_BYTES: usize = ARCHIVE_CACHE_BYTES;

/// An archive, called one call at a time.
struct Reader {
    archive: LayeredTree,
    ranges: Rc<MemoryRanges>,
}

impl Reader {
    fn open(bytes: Vec<u8>) -> Result<Self> {
        let ranges = MemoryRanges::new(bytes);
        let cache = Rc::new(Cache::new(CACHE_BYTES));
        let archive = block_on(squashfs::open(ranges.clone(), cache, "archive"))?;
        Ok(Self { archive, ranges })
    }

    fn root(&self) -> Result<Node> {
        Ok(self.archive.root().clone())
    }

    fn find(&self, path: impl AsRef<[u8]>) -> Result<Option<Node>> {
        block_on(self.archive.find(path.as_ref()))
    }

    fn node(&self, path: &str) -> Node {
        self.find(path).unwrap().unwrap_or_else(|| panic!("{path} is not there"))
    }

    fn entries(&self, dir: &Node, after: Option<&[u8]>, limit: usize) -> Result<Vec<Entry>> {
        block_on(self.archive.entries(dir, after, limit))
    }

    fn names(&self) -> Result<Vec<Vec<u8>>> {
        let entries = self.entries(&self.root()?, None, 1_000)?;
        Ok(entries.into_iter().map(|entry| entry.name).collect())
    }

    fn read(&self, file: &Node, offset: u64, len_bytes: u64) -> Result<Vec<u8>> {
        block_on(self.archive.read(file, offset, len_bytes))
    }

    /// Paths, at most so many.
    fn walk(&self, at_most: usize) -> Result<Vec<Vec<u8>>> {
        let root = self.root()?;
        let mut walk = self.archive.walk(&root);
        let mut paths = Vec::new();
        while paths.len() < at_most {
            let Some((path, _)) = block_on(walk.next())? else { break };
            paths.push(path);
        }
        Ok(paths)
    }
}

/// The code of a failure, which has words for a reader.
fn code<T>(result: Result<T>) -> ErrorCode {
    let error = result.err().expect("it succeeded");
    assert!(error.message.len() > 10, "{error:?}");
    error.code
}

/// That a damaged archive is refused as such.
fn assert_damaged<T>(what: &str, result: Result<T>) {
    match result {
        Ok(_) => panic!("{what}: it succeeded"),
        Err(error) => assert_eq!(error.code, ErrorCode::Integrity, "{what}: {error:?}"),
    }
}
