//! A cache of recently read blocks, which the archives of an isolate share.

use lru::LruCache;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Overhead that is counted for each block besides its bytes.
const ENTRY_BYTES: usize = 128;

/// A cache of blocks. The least recently used block is dropped first.
pub struct Cache {
    max_bytes: usize,
    held_bytes: Cell<usize>,
    blocks: RefCell<LruCache<Key, Rc<Block>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Head,
    /// Bytes as stored.
    Raw,
    Metadata,
    Fragment,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    archive: Rc<str>,
    kind: Kind,
    at: u64,
}

/// A block, and the position in the archive at which the next one begins.
#[derive(Debug)]
pub(super) struct Block {
    pub bytes: Vec<u8>,
    pub next: u64,
}

impl Cache {
    /// An empty cache with at most about `max_bytes`.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        Self { max_bytes, held_bytes: Cell::new(0), blocks: RefCell::new(LruCache::unbounded()) }
    }

    pub(super) fn get(&self, archive: &Rc<str>, kind: Kind, at: u64) -> Option<Rc<Block>> {
        let key = Key { archive: archive.clone(), kind, at };
        self.blocks.borrow_mut().get(&key).cloned()
    }

    /// Drops other blocks until there is room. A block larger than the whole cache is only
    /// returned.
    pub(super) fn put(&self, archive: &Rc<str>, kind: Kind, at: u64, block: Block) -> Rc<Block> {
        let block = Rc::new(block);
        let bytes = cost(&block);
        if bytes > self.max_bytes {
            return block;
        }
        let mut blocks = self.blocks.borrow_mut();
        let key = Key { archive: archive.clone(), kind, at };
        let mut held = self.held_bytes.get() + bytes;
        if let Some(replaced) = blocks.put(key, block.clone()) {
            held -= cost(&replaced);
        }
        while held > self.max_bytes
            && let Some((_, dropped)) = blocks.pop_lru()
        {
            held -= cost(&dropped);
        }
        self.held_bytes.set(held);
        block
    }
}

fn cost(block: &Block) -> usize {
    block.bytes.capacity() + ENTRY_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_that_was_not_used_for_longest_makes_room() {
        let cache = Cache::new(3 * (1_000 + ENTRY_BYTES));
        let archive: Rc<str> = "a".into();
        let put = |at| {
            let bytes = Vec::with_capacity(1_000);
            cache.put(&archive, Kind::Raw, at, Block { bytes, next: 0 });
        };
        let has = |at| cache.get(&archive, Kind::Raw, at).is_some();
        (0..3).for_each(put);
        assert!(has(0));
        put(3);
        assert!(has(0) && !has(1) && has(2) && has(3));
        let bytes = vec![0; 5_000];
        let block = cache.put(&archive, Kind::Raw, 9, Block { bytes, next: 0 });
        assert_eq!(block.bytes.len(), 5_000);
        assert!(!has(9) && has(3));
        assert_eq!(cache.held_bytes.get(), 3 * (1_000 + ENTRY_BYTES));
    }
}
