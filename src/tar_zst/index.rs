//! All entries of an archive, in the order of a walk.

use crate::domain::error::Result;
use crate::domain::limits::TAR_INDEX_MAX_BYTES;
use crate::squashfs::{Node, NodeKind};
use crate::tar_zst::damage::{damaged, refused, unsupported};
use std::cmp::Ordering;
use std::mem::size_of;

/// The mode of a directory that has no entry of its own, and only occurs in paths of other entries.
const IMPLIED_MODE: u16 = 0o755;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Directory,
    Symlink,
    /// Only until the tree is sorted. After that, the entry has the kind of its target.
    HardLink,
    BlockDevice,
    CharDevice,
    Fifo,
}

/// An entry as read from the archive.
pub(super) struct Described {
    pub path: Vec<u8>,
    /// The target of a link.
    pub target: Vec<u8>,
    pub kind: Kind,
    pub mode: u16,
    pub uid: u32,
    pub gid: u32,
    pub modified_at_secs: u32,
    /// The size. For a device, its number.
    pub size_bytes: u64,
    /// The beginning of the content.
    pub content_at: u64,
}

/// An entry of the index. It is small, because there are many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// The position of the path in `names`.
    path_at: u32,
    path_bytes: u16,
    mode: u16,
    pub kind: Kind,
    uid: u32,
    gid: u32,
    modified_at_secs: u32,
    /// The size. For a link, the length of its target; for a device, its number.
    pub size_bytes: u64,
    /// The beginning of the content in the archive. For a link, the position of its target in
    /// `names`.
    pub content_at: u64,
    /// The entry's position in the archive's order.
    order: u32,
    /// The entry with the content: this entry itself, unless it is a hard link.
    pub file: u32,
    /// For a directory, the first entry after all entries below it. For other entries, their number
    /// of names.
    span: u32,
}

/// The entries of an archive in the archive's order.
#[derive(Default)]
pub(super) struct Unordered {
    entries: Vec<Entry>,
    names: Vec<u8>,
}

/// All entries of an archive. The root comes first.
pub(super) struct Index {
    entries: Vec<Entry>,
    names: Vec<u8>,
}

impl Unordered {
    pub(super) fn push(&mut self, described: Described) -> Result<()> {
        let Described { path, target, kind, .. } = described;
        let path_at = self.add_name(&path)?;
        let is_link = matches!(kind, Kind::Symlink | Kind::HardLink);
        let target_at = if is_link { self.add_name(&target)? } else { 0 };
        self.add(Entry {
            path_at,
            path_bytes: u16::try_from(path.len()).map_err(|_| damaged("a path is too long"))?,
            mode: described.mode,
            kind,
            uid: described.uid,
            gid: described.gid,
            modified_at_secs: described.modified_at_secs,
            size_bytes: if is_link { target.len() as u64 } else { described.size_bytes },
            content_at: if is_link { target_at.into() } else { described.content_at },
            order: number(self.entries.len())?,
            file: 0,
            span: 1,
        })
    }

    fn add_name(&mut self, name: &[u8]) -> Result<u32> {
        let at = number(self.names.len())?;
        self.names.extend_from_slice(name);
        Ok(at)
    }

    fn add(&mut self, entry: Entry) -> Result<()> {
        self.entries.push(entry);
        let held = self.entries.len() * size_of::<Entry>() + self.names.len();
        if held > TAR_INDEX_MAX_BYTES {
            return Err(unsupported(format!(
                "it has more than {} entries, or names that are too long",
                self.entries.len() - 1
            )));
        }
        Ok(())
    }

    /// Sorts the entries, and refuses an archive whose entries contradict each other.
    pub(super) fn order(mut self) -> Result<Index> {
        let root = self.implied(0, 0)?;
        if !self.entries.iter().any(|entry| entry.path_bytes == 0) {
            self.add(root)?;
        }
        self.sort();
        self.drop_repeated()?;
        if self.add_implied()? {
            self.sort();
        }
        let Self { entries, names } = self;
        let mut index = Index { entries, names };
        index.span()?;
        index.resolve_links()?;
        Ok(index)
    }

    fn sort(&mut self) {
        let Self { entries, names } = self;
        entries.sort_unstable_by(|one, other| {
            by_walk(path_of(names, one), path_of(names, other)).then(one.order.cmp(&other.order))
        });
    }

    /// Removes repeated directories. The later entry counts.
    fn drop_repeated(&mut self) -> Result<()> {
        let Self { entries, names } = self;
        let mut repeated = None;
        entries.dedup_by(|later, kept| {
            let path = path_of(names, later);
            if path != path_of(names, kept) {
                return false;
            }
            if later.kind == Kind::Directory && kept.kind == Kind::Directory {
                *kept = *later;
            } else {
                repeated = repeated.take().or_else(|| Some(path.to_vec()));
            }
            true
        });
        match repeated {
            Some(path) => {
                let path = String::from_utf8_lossy(&path).into_owned();
                Err(unsupported(format!("{path} is in it more than once")))
            }
            None => Ok(()),
        }
    }

    /// Adds directories that only occur in paths of other entries. Refuses entries below anything
    /// but a directory.
    fn add_implied(&mut self) -> Result<bool> {
        let count = self.entries.len();
        // The directories above the current entry.
        let mut above: Vec<Entry> = Vec::new();
        for at in 0..count {
            let Some(entry) = self.entries.get(at).copied() else { break };
            let path = path_of(&self.names, &entry).to_vec();
            while above.last().is_some_and(|dir| !is_below(&path, path_of(&self.names, dir))) {
                above.pop();
            }
            if let Some(dir) = above.last() {
                if dir.kind != Kind::Directory {
                    let shown = String::from_utf8_lossy(path_of(&self.names, dir)).into_owned();
                    return Err(refused(
                        &path,
                        format!("it lies behind {shown}, which is not a directory"),
                    ));
                }
                let first = usize::from(dir.path_bytes) + 1;
                let ends = path.iter().enumerate().skip(first);
                let ends: Vec<usize> =
                    ends.filter(|(_, byte)| **byte == b'/').map(|(end, _)| end).collect();
                for end in ends {
                    let implied = self.implied(entry.path_at, end)?;
                    self.add(implied)?;
                    above.push(implied);
                }
            }
            above.push(entry);
        }
        Ok(self.entries.len() > count)
    }

    fn implied(&self, path_at: u32, path_bytes: usize) -> Result<Entry> {
        Ok(Entry {
            path_at,
            path_bytes: u16::try_from(path_bytes).map_err(|_| damaged("a path is too long"))?,
            mode: IMPLIED_MODE,
            kind: Kind::Directory,
            uid: 0,
            gid: 0,
            modified_at_secs: 0,
            size_bytes: 0,
            content_at: 0,
            order: number(self.entries.len())?,
            file: 0,
            span: 0,
        })
    }
}

impl Index {
    pub(super) fn entry(&self, at: u32) -> Option<&Entry> {
        self.entries.get(at as usize)
    }

    pub(super) fn path(&self, at: u32) -> &[u8] {
        self.entry(at).map_or(&[], |entry| path_of(&self.names, entry))
    }

    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(u32::MAX)
    }

    /// The first entry after all entries below a directory. For others, the next entry.
    pub(super) fn after(&self, at: u32) -> u32 {
        match self.entry(at) {
            Some(entry) if entry.kind == Kind::Directory => entry.span,
            _ => at.saturating_add(1),
        }
    }

    /// The first entry whose path is `path`, or comes after it in a walk.
    pub(super) fn position(&self, path: &[u8]) -> u32 {
        let before = |entry: &Entry| by_walk(path_of(&self.names, entry), path).is_lt();
        u32::try_from(self.entries.partition_point(before)).unwrap_or(u32::MAX)
    }

    pub(super) fn find(&self, path: &[u8]) -> Option<u32> {
        let at = self.position(path);
        self.entry(at).filter(|entry| path_of(&self.names, entry) == path).map(|_| at)
    }

    pub(super) fn node(&self, at: u32) -> Option<Node> {
        let entry = self.entry(at)?;
        let device = u32::try_from(entry.size_bytes).unwrap_or_default();
        let kind = match entry.kind {
            Kind::File => NodeKind::File { size_bytes: entry.size_bytes },
            Kind::Directory => NodeKind::Directory,
            Kind::Symlink => NodeKind::Symlink { target: self.target(entry).to_vec() },
            Kind::BlockDevice => NodeKind::BlockDevice { device },
            Kind::CharDevice => NodeKind::CharDevice { device },
            Kind::Fifo | Kind::HardLink => NodeKind::Fifo,
        };
        let names = self.entry(entry.file)?.span;
        Some(Node::of_other_format(
            entry.file,
            kind,
            entry.mode.into(),
            (entry.uid, entry.gid),
            entry.modified_at_secs,
            if entry.kind == Kind::Directory { 1 } else { names },
        ))
    }

    /// About how many bytes the index takes.
    pub(super) fn held_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.names.capacity()
    }

    fn target(&self, link: &Entry) -> &[u8] {
        slice(&self.names, link.content_at, link.size_bytes)
    }

    /// Finds the end of each directory.
    fn span(&mut self) -> Result<()> {
        let count = self.count();
        let mut above: Vec<u32> = Vec::new();
        for at in 0..count {
            while above.last().is_some_and(|dir| !is_below(self.path(at), self.path(*dir))) {
                self.end(above.pop(), at);
            }
            if let Some(entry) = self.entries.get_mut(at as usize) {
                entry.file = at;
            }
            above.push(at);
        }
        while !above.is_empty() {
            self.end(above.pop(), count);
        }
        // Only the root directory itself can come first.
        if self.entry(0).is_some_and(|root| root.path_bytes == 0) {
            Ok(())
        } else {
            Err(damaged("it has no root"))
        }
    }

    fn end(&mut self, dir: Option<u32>, at: u32) {
        let entry = dir.and_then(|dir| self.entries.get_mut(dir as usize));
        if let Some(entry) = entry
            && entry.kind == Kind::Directory
        {
            entry.span = at;
        }
    }

    /// Gives hard links the content of their targets, which must come before them.
    fn resolve_links(&mut self) -> Result<()> {
        let links = (0..self.count())
            .filter(|at| self.entry(*at).is_some_and(|entry| entry.kind == Kind::HardLink));
        let mut links: Vec<u32> = links.collect();
        links.sort_unstable_by_key(|at| self.entry(*at).map(|entry| entry.order));
        for at in links {
            let Some(link) = self.entry(at).copied() else { continue };
            let found = self.find(self.target(&link)).and_then(|target| self.entry(target));
            let is_before = |target: &&Entry| {
                target.order < link.order
                    && !matches!(target.kind, Kind::Directory | Kind::HardLink)
            };
            let Some(file) = found.filter(is_before).map(|target| target.file) else {
                return Err(refused(
                    self.path(at),
                    "it is a hard link, and its target is not a file that comes before it in the archive",
                ));
            };
            let Some(target) = self.entries.get_mut(file as usize) else { continue };
            target.span = target.span.saturating_add(1);
            let Entry { path_at, path_bytes, order, .. } = link;
            let linked = Entry { path_at, path_bytes, order, ..*target };
            if let Some(entry) = self.entries.get_mut(at as usize) {
                *entry = linked;
            }
        }
        Ok(())
    }
}

fn number(count: usize) -> Result<u32> {
    u32::try_from(count).map_err(|_| unsupported("it has too many entries"))
}

fn path_of<'a>(names: &'a [u8], entry: &Entry) -> &'a [u8] {
    slice(names, entry.path_at.into(), entry.path_bytes.into())
}

fn slice(names: &[u8], at: u64, len_bytes: u64) -> &[u8] {
    let range = usize::try_from(at).ok().zip(usize::try_from(at + len_bytes).ok());
    range.and_then(|(from, to)| names.get(from..to)).unwrap_or_default()
}

/// Whether a path is below a directory.
fn is_below(path: &[u8], dir: &[u8]) -> bool {
    let rest = path.strip_prefix(dir);
    rest.is_some_and(|rest| if dir.is_empty() { !rest.is_empty() } else { rest.starts_with(b"/") })
}

/// Compares paths in the order of a walk: a directory before its contents, names in byte order. No
/// name contains NUL.
fn by_walk(one: &[u8], other: &[u8]) -> Ordering {
    let key = |byte: &u8| if *byte == b'/' { 0 } else { *byte };
    one.iter().map(key).cmp(other.iter().map(key))
}
