//! Trees with a history, as archives: full ones, and layers on the tree before.

use crate::support::squashfs::inode_field::{GROUP, MODE, OWNER, TIME, XATTRS};
use crate::support::squashfs::{File, Image, Inode, NONE, STORED, kind, words};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// One step of a history. Numbers choose among names and values.
#[derive(Debug, Clone)]
pub enum Step {
    MakeDirectory(Path),
    WriteFile(Path, u8),
    /// Many files of one directory.
    WriteFiles(Path, u8),
    MakeSymlink(Path, u8),
    MakeFifo(Path),
    HardLink(Path, Path),
    Remove(Path),
    Rename(Path, Path),
    SetAttributes(Path, u8),
}

type Path = Vec<u8>;

pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Few names, so that one is often used again, as something else.
    let path = || prop::collection::vec(prop::sample::select(b"abc".as_slice()), 1..4);
    let path = || path().prop_map(|names| names.map_join());
    let step = prop_oneof![
        3 => path().prop_map(Step::MakeDirectory),
        4 => (path(), any::<u8>()).prop_map(|(path, value)| Step::WriteFile(path, value)),
        1 => (path(), any::<u8>()).prop_map(|(path, value)| Step::WriteFiles(path, value)),
        1 => (path(), any::<u8>()).prop_map(|(path, value)| Step::MakeSymlink(path, value)),
        1 => path().prop_map(Step::MakeFifo),
        2 => (path(), path()).prop_map(|(of, path)| Step::HardLink(of, path)),
        3 => path().prop_map(Step::Remove),
        2 => (path(), path()).prop_map(|(from, to)| Step::Rename(from, to)),
        2 => (path(), any::<u8>()).prop_map(|(path, value)| Step::SetAttributes(path, value)),
    ];
    prop::collection::vec(step, 0..12)
}

trait MapJoin {
    fn map_join(self) -> Path;
}

impl MapJoin for Vec<u8> {
    fn map_join(self) -> Path {
        self.iter().map(|name| vec![*name]).collect::<Vec<_>>().join(&b'/')
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Attributes {
    mode: u16,
    /// Indexes into the archive's table of ids.
    owner: u16,
    group: u16,
    secs: u32,
    xattrs: Vec<(u16, Vec<u8>, Vec<u8>)>,
}

impl Attributes {
    fn of(value: u8, secs: u32) -> Self {
        let number = u16::from(value);
        let xattrs = match value % 4 {
            // That of a user, which removes nothing here.
            0 => vec![(1, b"overlay.opaque".to_vec(), b"y".to_vec())],
            1 => vec![(0, b"note".to_vec(), vec![value])],
            _ => Vec::new(),
        };
        Self {
            mode: 0o700 | (number % 0o100),
            owner: number % 3,
            group: number / 3 % 3,
            secs,
            xattrs,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Directory,
    File(Vec<u8>),
    Symlink(Vec<u8>),
    Fifo,
}

#[derive(Debug, Clone, PartialEq)]
struct Thing {
    kind: Kind,
    attributes: Attributes,
}

/// A tree. Names of one thing are hard links.
#[derive(Debug, Clone)]
pub struct History {
    names: BTreeMap<Path, u32>,
    things: BTreeMap<u32, Thing>,
    /// Counts up, as a number of the next thing and as a clock.
    now: u32,
}

impl Default for History {
    fn default() -> Self {
        let root = Thing { kind: Kind::Directory, attributes: Attributes::of(2, 1) };
        Self { names: [(Path::new(), 0)].into(), things: [(0, root)].into(), now: 1 }
    }
}

impl History {
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.names.keys()
    }

    fn thing(&self, path: &[u8]) -> Option<&Thing> {
        self.names.get(path).map(|number| &self.things[number])
    }

    fn is_directory(&self, path: &[u8]) -> bool {
        self.thing(path).is_some_and(|thing| thing.kind == Kind::Directory)
    }

    fn names_of(&self, number: u32) -> BTreeSet<&Path> {
        self.names.iter().filter(|(_, other)| **other == number).map(|(path, _)| path).collect()
    }

    fn remove(&mut self, path: &[u8]) {
        self.names.retain(|other, _| !is_at_or_below(other, path));
    }

    /// Puts something in a place, whatever was there.
    fn put(&mut self, path: &[u8], kind: Kind, value: u8) {
        if !self.is_directory(parent(path)) {
            return;
        }
        self.remove(path);
        self.now += 1;
        let attributes = Attributes::of(value, self.now);
        self.things.insert(self.now, Thing { kind, attributes });
        self.names.insert(path.to_vec(), self.now);
    }

    pub fn take(&mut self, step: &Step) {
        match step {
            Step::MakeDirectory(path) => self.put(path, Kind::Directory, 3),
            Step::WriteFile(path, value) => match self.names.get(path).copied() {
                // In place: all names of it change.
                Some(number) if matches!(self.things[&number].kind, Kind::File(_)) => {
                    self.now += 1;
                    let thing = self.things.get_mut(&number).unwrap();
                    thing.kind = Kind::File(content(*value));
                    thing.attributes.secs = self.now;
                }
                _ => self.put(path, Kind::File(content(*value)), *value),
            },
            Step::WriteFiles(path, value) => {
                for at in 0..40 {
                    let path = [path.as_slice(), format!("/{at:02}").as_bytes()].concat();
                    if at % 7 == value % 7 {
                        self.remove(&path);
                    } else {
                        self.put(&path, Kind::File(content(at)), *value);
                    }
                }
            }
            Step::MakeSymlink(path, value) => {
                self.put(path, Kind::Symlink(vec![b'x'; usize::from(*value) + 1]), 1);
            }
            Step::MakeFifo(path) => self.put(path, Kind::Fifo, 0),
            Step::HardLink(of, path) => {
                let Some(number) = self.names.get(of).copied() else { return };
                if !matches!(self.things[&number].kind, Kind::File(_))
                    || !self.is_directory(parent(path))
                    || is_at_or_below(of, path)
                {
                    return;
                }
                self.remove(path);
                self.names.insert(path.clone(), number);
            }
            Step::Remove(path) => self.remove(path),
            Step::Rename(from, to) => {
                if !self.names.contains_key(from)
                    || !self.is_directory(parent(to))
                    || is_at_or_below(to, from)
                    || is_at_or_below(from, to)
                {
                    return;
                }
                self.remove(to);
                let moved = self.names.clone().into_iter();
                self.names = moved
                    .map(|(path, number)| match path.strip_prefix(from.as_slice()) {
                        Some(rest) if is_at_or_below(&path, from) => {
                            ([to.as_slice(), rest].concat(), number)
                        }
                        _ => (path, number),
                    })
                    .collect();
            }
            Step::SetAttributes(path, value) => {
                let Some(number) = self.names.get(path) else { return };
                self.now += 1;
                self.things.get_mut(number).unwrap().attributes = Attributes::of(*value, self.now);
            }
        }
    }

    /// The whole tree as an archive.
    pub fn full(&self) -> Vec<u8> {
        let paths: BTreeSet<&Path> = self.names.keys().collect();
        Writer::new(self, paths, BTreeSet::new()).write()
    }

    /// What differs from `base` as an archive.
    pub fn layer_on(&self, base: &Self) -> Vec<u8> {
        let is_changed = |path: &Path, number: u32| {
            base.names.get(path) != Some(&number)
                || base.things[&number] != self.things[&number]
                || base.names_of(number) != self.names_of(number)
        };
        let mut paths: BTreeSet<&Path> = self
            .names
            .iter()
            .filter(|(path, number)| is_changed(path, **number))
            .map(|(path, _)| path)
            .collect();
        // The topmost of what is gone, unless it is hidden by what replaced its directory.
        let removed: BTreeSet<&Path> = base
            .names
            .keys()
            .filter(|path| !self.names.contains_key(*path) && self.is_directory(parent(path)))
            .collect();
        let mut parents: Vec<&[u8]> =
            paths.iter().chain(&removed).map(|path| path.as_slice()).collect();
        parents.push(b"");
        while let Some(path) = parents.pop() {
            let (path, _) = self.names.get_key_value(parent(path)).unwrap();
            if paths.insert(path) {
                parents.push(path);
            }
        }
        Writer::new(self, paths, removed).write()
    }
}

fn content(value: u8) -> Vec<u8> {
    // Some are empty, and some have several blocks.
    (0..usize::from(value % 5) * 1_900).map(|at| value.wrapping_add(at as u8)).collect()
}

pub fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(b"", |end| &path[..end])
}

fn is_at_or_below(path: &[u8], dir: &[u8]) -> bool {
    path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

struct Writer<'a> {
    tree: &'a History,
    paths: BTreeSet<&'a Path>,
    removed: BTreeSet<&'a Path>,
    image: Image,
    written: BTreeMap<u32, Inode>,
}

impl<'a> Writer<'a> {
    fn new(tree: &'a History, paths: BTreeSet<&'a Path>, removed: BTreeSet<&'a Path>) -> Self {
        Self { tree, paths, removed, image: Image::new(4096), written: BTreeMap::new() }
    }

    fn write(mut self) -> Vec<u8> {
        let root = self.inode(b"");
        self.image.bytes(root)
    }

    fn inode(&mut self, path: &[u8]) -> Inode {
        let number = self.tree.names[path];
        if let Some(inode) = self.written.get(&number) {
            return *inode;
        }
        let Thing { kind, attributes } = &self.tree.things[&number];
        let xattrs: Vec<(u16, &[u8], &[u8])> = attributes
            .xattrs
            .iter()
            .map(|(kind, name, value)| (*kind, name.as_slice(), value.as_slice()))
            .collect();
        let xattrs = if xattrs.is_empty() { NONE } else { self.image.xattr_list(&xattrs) };
        let inode = match kind {
            Kind::Directory => self.directory(path, xattrs),
            Kind::File(content) => {
                let links = self.tree.names_of(number).len() as u32;
                let start = self.image.data(content);
                let blocks: Vec<u32> =
                    content.chunks(4096).map(|block| block.len() as u32 | STORED).collect();
                let (size, blocks) = (content.len() as u64, blocks.as_slice());
                let file = File { start, size, blocks, links, xattrs, ..File::default() };
                self.image.extended_file(&file)
            }
            Kind::Symlink(target) => {
                let body = [words(&[1, target.len() as u32]), target.clone(), words(&[xattrs])];
                self.image.inode(kind::SYMLINK + kind::EXTENDED, 0, &body.concat())
            }
            Kind::Fifo => self.image.inode(kind::FIFO + kind::EXTENDED, 0, &words(&[1, xattrs])),
        };
        let header = self.image.fields(inode);
        header[MODE..OWNER].copy_from_slice(&attributes.mode.to_le_bytes());
        header[OWNER..GROUP].copy_from_slice(&attributes.owner.to_le_bytes());
        header[GROUP..TIME].copy_from_slice(&attributes.group.to_le_bytes());
        header[TIME..TIME + 4].copy_from_slice(&attributes.secs.to_le_bytes());
        self.written.insert(number, inode);
        inode
    }

    fn directory(&mut self, path: &[u8], xattrs: u32) -> Inode {
        let within = |other: &&&'a Path| !other.is_empty() && parent(other) == path;
        let there: Vec<&'a Path> = self.paths.iter().filter(within).copied().collect();
        let removed: Vec<&'a Path> = self.removed.iter().filter(within).copied().collect();
        let mut entries: Vec<(&[u8], Inode)> = Vec::new();
        for path in there {
            entries.push((name(path), self.inode(path)));
        }
        for path in removed {
            let whiteout = self.image.inode(kind::CHAR, 0, &words(&[1, 0]));
            entries.push((name(path), whiteout));
        }
        entries.sort_by_key(|(name, _)| *name);
        let inode = self.image.directory(&entries);
        self.image.fields(inode)[XATTRS..XATTRS + 4].copy_from_slice(&xattrs.to_le_bytes());
        inode
    }
}

fn name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap()
}
