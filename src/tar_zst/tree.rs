//! An archive as a tree of files.

use crate::domain::error::{Error, Result};
use crate::domain::limits::{
    TAR_LOOK_MAX_BYTES, TAR_READ_AHEAD_BYTES, TAR_READ_AHEAD_FILE_MAX_BYTES,
    TAR_READ_AHEAD_FILES_MAX,
};
use crate::ports::bucket::ranges::Ranges;
use crate::ports::clock::Clock;
use crate::squashfs::{Entry, Node, NodeKind};
use crate::support::fifo_mutex::FifoMutex;
use crate::tar_zst::damage::{named, unsupported};
use crate::tar_zst::entries;
use crate::tar_zst::index::{Index, Kind};
use crate::tar_zst::memory::TarMemory;
use crate::tar_zst::unpack::{Unpacker, Work};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The source of an archive's bytes.
pub struct TarSource {
    /// The archive's bytes.
    pub ranges: Rc<dyn Ranges>,
    /// The archive's key in the memory. Two archives must not share a key.
    pub key: String,
    /// The archive's name in errors.
    pub name: String,
}

/// An archive as a tree of files.
pub struct TarTree {
    ranges: Rc<dyn Ranges>,
    key: Rc<str>,
    name: String,
    memory: TarMemory,
    clock: Rc<dyn Clock>,
    work: Work,
    index: Rc<Index>,
    root: Node,
    reading: FifoMutex,
    ahead: RefCell<Ahead>,
}

/// Contents of small files that were decompressed together, by entry.
#[derive(Default)]
struct Ahead {
    /// Whether any file was read. If so, a read of an earlier position suggests many such reads.
    begun: bool,
    files: BTreeMap<u32, Vec<u8>>,
}

impl TarTree {
    /// Opens an archive. Decompresses all of it, unless its index is still in memory.
    ///
    /// # Errors
    /// `INTEGRITY` if it is not an archive, is damaged, or is malicious. `UNSUPPORTED` if it is too
    /// large, or has entries that are not supported here. `RATE_LIMITED` while other archives are
    /// being read.
    pub async fn open(
        source: TarSource,
        memory: &TarMemory,
        clock: Rc<dyn Clock>,
        work: Work,
    ) -> Result<Self> {
        let TarSource { ranges, key, name } = source;
        let key: Rc<str> = key.into();
        if ranges.size_bytes() > TAR_LOOK_MAX_BYTES {
            return named(
                &name,
                Err(unsupported(format!("it has more than {TAR_LOOK_MAX_BYTES} bytes"))),
            );
        }
        let index = match memory.index(&key) {
            Some(index) => index,
            None => {
                let _turn = memory.turn(clock.as_ref()).await?;
                // Another call may have made the index meanwhile.
                match memory.index(&key) {
                    Some(index) => index,
                    None => {
                        memory.expect(Unpacker::new().held_bytes());
                        let mut unpacker = Unpacker::new();
                        let read = entries::read(&mut unpacker, ranges.as_ref(), &work).await;
                        let index = Rc::new(named(&name, read)?);
                        memory.keep(&key, &index);
                        index
                    }
                }
            }
        };
        let root = index.node(0).ok_or_else(|| Error::internal("an index has no root"))?;
        Ok(Self {
            ranges,
            key,
            name,
            memory: memory.clone(),
            clock,
            work,
            index,
            root,
            reading: FifoMutex::default(),
            ahead: RefCell::default(),
        })
    }

    /// The root directory.
    #[must_use]
    pub const fn root(&self) -> &Node {
        &self.root
    }

    /// Finds a path relative to the root, with `/` between names. Does not follow symlinks.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for `..`.
    pub fn find(&self, path: &[u8]) -> Result<Option<Node>> {
        let mut names: Vec<&[u8]> = Vec::new();
        for name in path.split(|byte| *byte == b'/') {
            match name {
                b"" | b"." => {}
                b".." => return Err(Error::invalid("path", "must not contain ..")),
                _ => names.push(name),
            }
        }
        let found = self.index.find(&names.join(&b'/'));
        Ok(found.and_then(|at| self.index.node(at)))
    }

    /// Finds a name in a directory. None for any other node.
    #[must_use]
    pub fn child(&self, dir: &Node, name: &[u8]) -> Option<Node> {
        if dir.kind != NodeKind::Directory || name.is_empty() || name.contains(&b'/') {
            return None;
        }
        self.index.find(&join(self.index.path(dir.inode), name)).and_then(|at| self.index.node(at))
    }

    /// Lists the entries of a directory after the name `after`, in byte order, at
    /// most `limit`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if it is not a directory.
    pub fn entries(&self, dir: &Node, after: Option<&[u8]>, limit: usize) -> Result<Vec<Entry>> {
        if dir.kind != NodeKind::Directory {
            return Err(Error::invalid("path", "is not a directory"));
        }
        let path = self.index.path(dir.inode);
        let mut at = match after {
            Some(name) if !name.is_empty() => self.index.position(&join(path, name)),
            _ => dir.inode + 1,
        };
        let mut entries = Vec::new();
        while entries.len() < limit && at < self.index.after(dir.inode) {
            let below = below(self.index.path(at), path);
            if after.is_none_or(|after| below > after)
                && let Some(node) = self.index.node(at)
            {
                entries.push(Entry { name: below.to_vec(), node });
            }
            at = self.index.after(at);
        }
        Ok(entries)
    }

    /// Walks everything below a directory: depth first, each directory before its
    /// entries, entries in byte order of their names.
    #[must_use]
    pub fn walk(&self, dir: &Node) -> TarWalk<'_> {
        let end = self.index.after(dir.inode);
        let next = dir.inode.saturating_add(1);
        TarWalk { tree: self, root: dir.inode, next, end, found: None }
    }

    /// The rest of a [`walk`](Self::walk) after the path `after`, which need not exist.
    #[must_use]
    pub fn walk_after(&self, dir: &Node, after: &[u8]) -> TarWalk<'_> {
        let mut walk = self.walk(dir);
        if !after.is_empty() {
            let path = join(self.index.path(dir.inode), after);
            let at = self.index.position(&path);
            let is_there = self.index.path(at) == path;
            walk.next = (if is_there { at + 1 } else { at }).clamp(walk.next, walk.end);
            walk.found = is_there.then_some(at);
        }
        walk
    }

    /// Reads `len_bytes` of a file from `offset` on, or fewer at the file's end. Decompresses
    /// everything before it, beginning where the last read stopped if that is earlier.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if it is not a file. `UNSUPPORTED` once the call has decompressed
    /// too much.
    pub async fn read(&self, file: &Node, offset: u64, len_bytes: u64) -> Result<Vec<u8>> {
        let entry = self.index.entry(file.inode).filter(|entry| entry.kind == Kind::File);
        let entry = entry.ok_or_else(|| Error::invalid("path", "is not a file"))?;
        let end = entry.size_bytes.min(offset.saturating_add(len_bytes));
        if offset >= end {
            return Ok(Vec::new());
        }
        let _reading = self.reading.lock().await;
        if let Some(bytes) = self.held(file.inode, offset, end) {
            return Ok(bytes);
        }
        let _turn = self.memory.turn(self.clock.as_ref()).await?;
        let at = entry.content_at.saturating_add(offset);
        let resumed = self.memory.resume(&self.key, at);
        let begun = std::mem::replace(&mut self.ahead.borrow_mut().begun, true);
        if resumed.is_none() && begun && entry.size_bytes <= TAR_READ_AHEAD_FILE_MAX_BYTES {
            self.read_ahead(file.inode).await?;
            if let Some(bytes) = self.held(file.inode, offset, end) {
                return Ok(bytes);
            }
        }
        self.read_at(resumed, at, end - offset).await
    }

    async fn read_at(&self, resumed: Option<Unpacker>, at: u64, len_bytes: u64) -> Result<Vec<u8>> {
        let mut unpacker = resumed.unwrap_or_else(Unpacker::new);
        self.memory.expect(unpacker.held_bytes());
        let ranges = self.ranges.as_ref();
        let bytes = async {
            unpacker.skip(ranges, &self.work, at.saturating_sub(unpacker.at())).await?;
            unpacker.take(ranges, &self.work, len_bytes).await
        };
        let bytes = named(&self.name, bytes.await)?;
        self.memory.park(&self.key, unpacker);
        Ok(bytes)
    }

    fn held(&self, file: u32, offset: u64, end: u64) -> Option<Vec<u8>> {
        let ahead = self.ahead.borrow();
        let range = usize::try_from(offset).ok()?..usize::try_from(end).ok()?;
        ahead.files.get(&file)?.get(range).map(<[u8]>::to_vec)
    }

    /// Decompresses the archive once more, for a small file and those that follow it in a walk. An
    /// archive may have them in any order, but most callers read in the order of a walk.
    async fn read_ahead(&self, file: u32) -> Result<()> {
        let mut places = BTreeMap::new();
        let mut left = TAR_READ_AHEAD_BYTES;
        for at in file..self.index.count() {
            let Some(entry) = self.index.entry(at) else { break };
            let is_small = entry.size_bytes <= TAR_READ_AHEAD_FILE_MAX_BYTES;
            if entry.kind != Kind::File || !is_small || entry.file != at {
                continue;
            }
            let Some(rest) = left.checked_sub(entry.size_bytes) else { break };
            left = rest;
            places.insert(entry.content_at, (at, entry.size_bytes));
            if places.len() >= TAR_READ_AHEAD_FILES_MAX {
                break;
            }
        }
        self.ahead.borrow_mut().files.clear();
        let mut unpacker: Option<Unpacker> = None;
        for (content_at, (at, size_bytes)) in places {
            let bytes = self.read_at(unpacker.take(), content_at, size_bytes).await?;
            self.ahead.borrow_mut().files.insert(at, bytes);
            unpacker = self.memory.resume(&self.key, content_at + size_bytes);
        }
        if let Some(unpacker) = unpacker {
            self.memory.park(&self.key, unpacker);
        }
        Ok(())
    }
}

/// A walk through everything below a directory.
pub struct TarWalk<'a> {
    tree: &'a TarTree,
    root: u32,
    next: u32,
    end: u32,
    /// The entry that was found last.
    found: Option<u32>,
}

impl TarWalk<'_> {
    /// Finds the next node, with its path relative to the walk's root.
    pub fn next_found(&mut self) -> Option<(Vec<u8>, Node)> {
        if self.next >= self.end {
            return None;
        }
        let (index, at) = (&self.tree.index, self.next);
        self.found = Some(at);
        self.next += 1;
        let path = below(index.path(at), index.path(self.root)).to_vec();
        index.node(at).map(|node| (path, node))
    }

    /// Skips the contents of the directory that was found last.
    pub fn skip(&mut self) {
        if let Some(found) = self.found.take() {
            self.next = self.next.max(self.tree.index.after(found));
        }
    }
}

fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    if dir.is_empty() { name.to_vec() } else { [dir, b"/", name].concat() }
}

/// The part of a path below a directory.
fn below<'a>(path: &'a [u8], dir: &[u8]) -> &'a [u8] {
    let rest = path.strip_prefix(dir).unwrap_or(path);
    if dir.is_empty() { rest } else { rest.strip_prefix(b"/").unwrap_or(rest) }
}
