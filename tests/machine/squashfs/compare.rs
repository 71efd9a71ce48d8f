//! An archive, as the reader and as `unsquashfs` show it.

use super::trees::Trees;
use crate::machine::TempDir;
use crate::support::ranges::MemoryRanges;
use crate::support::squashfs;
use chrono::DateTime;
use futures::executor::block_on;
use snapshotter::squashfs::{Cache, LayeredTree, Node, NodeKind};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

/// Numbers that follow from a seed (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// Extended attributes of a path, by name.
pub type Xattrs = BTreeMap<Vec<u8>, Vec<u8>>;

/// An archive that is compared.
pub struct Compared<'a> {
    pub path: &'a Path,
    /// Those of every node that no container may set.
    pub added_xattrs: Xattrs,
}

struct Comparison<'a> {
    archive: LayeredTree,
    /// Where `unsquashfs` extracted the archive.
    root: PathBuf,
    xattrs: BTreeMap<Vec<u8>, Xattrs>,
    added_xattrs: &'a Xattrs,
}

/// Compares everything; how many nodes there are.
pub fn compare(compared: &Compared<'_>, trees: &mut Trees, dice: &mut Dice) -> usize {
    let top = TempDir::new();
    let root = top.path().join("extracted");
    let args = ["-quiet", "-no-progress", "-xattrs-include", "^user[.]", "-dest"];
    run(Command::new("unsquashfs").args(args).arg(&root).arg(compared.path));
    let ranges = MemoryRanges::new(fs::read(compared.path).unwrap());
    let cache = Rc::new(Cache::new(dice.of(&[0, 100_000, 4 << 20])));
    let archive = block_on(squashfs::open(ranges, cache, "compared")).unwrap();
    let xattrs = trees.xattrs(&root);
    let comparison = Comparison { archive, root, xattrs, added_xattrs: &compared.added_xattrs };
    block_on(comparison.run(compared.path, dice))
}

pub fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}: {said}", output.status);
    output.stdout
}

impl Comparison<'_> {
    async fn run(&self, path: &Path, dice: &mut Dice) -> usize {
        let root = self.archive.root();
        let mut nodes = vec![(Vec::new(), root.clone())];
        let mut walk = self.archive.walk(root);
        while let Some(found) = walk.next().await.unwrap() {
            nodes.push(found);
        }
        let mut paths = vec![Vec::new()];
        list(&self.root, &mut paths);
        let walked: Vec<&[u8]> = nodes.iter().map(|(path, _)| path.as_slice()).collect();
        assert_eq!(walked, paths, "paths of {}", path.display());
        let mut inodes = BTreeMap::new();
        for (path, node) in &nodes {
            let real = self.real(path);
            self.compare_node(path, node, dice).await;
            // Names of one inode are names of one inode there.
            let there = fs::symlink_metadata(&real).unwrap().ino();
            assert_eq!(*inodes.entry(node.inode).or_insert(there), there, "inode of {real:?}");
        }
        compare_listing(path, &nodes);
        nodes.len()
    }

    fn real(&self, path: &[u8]) -> PathBuf {
        // Joining nothing would add a slash, which follows a link.
        if path.is_empty() { self.root.clone() } else { self.root.join(OsStr::from_bytes(path)) }
    }

    async fn compare_node(&self, path: &[u8], node: &Node, dice: &mut Dice) {
        let real = self.real(path);
        let there = fs::symlink_metadata(&real).unwrap();
        let shown = real.display();
        assert_eq!(node.mode, there.mode() & 0o7777, "mode of {shown}");
        assert_eq!((node.uid, node.gid), (there.uid(), there.gid()), "owner of {shown}");
        assert_eq!(i64::from(node.modified_at_secs), there.mtime(), "time of {shown}");
        let found = self.archive.find(path).await.unwrap().unwrap();
        assert_eq!(found.inode, node.inode, "inode of {shown}");
        assert_eq!(found.kind, node.kind, "kind of {shown}");
        let kind = there.file_type();
        match &node.kind {
            NodeKind::Directory => {
                assert!(kind.is_dir(), "{shown}");
                self.compare_entries(&real, node, dice).await;
            }
            NodeKind::File { size_bytes } => {
                assert!(kind.is_file(), "{shown}");
                assert_eq!(*size_bytes, there.size(), "size of {shown}");
                let content = fs::read(&real).unwrap();
                self.compare_content(&content, node, dice).await;
            }
            NodeKind::Symlink { target } => {
                let expected = fs::read_link(&real).unwrap().into_os_string().into_vec();
                assert_eq!(*target, expected, "target of {shown}");
            }
            NodeKind::Fifo => assert!(kind.is_fifo(), "{shown}"),
            NodeKind::Socket => assert!(kind.is_socket(), "{shown}"),
            NodeKind::BlockDevice { device } | NodeKind::CharDevice { device } => {
                let is_block = matches!(node.kind, NodeKind::BlockDevice { .. });
                assert_eq!(is_block, kind.is_block_device(), "{shown}");
                assert_eq!(!is_block, kind.is_char_device(), "{shown}");
                assert_eq!(u64::from(*device), there.rdev(), "device of {shown}");
            }
        }
        if node.kind == NodeKind::Directory {
            // File systems count links of directories as they like.
            let inner = fs::read_dir(&real).unwrap();
            let inner = inner.filter(|entry| entry.as_ref().unwrap().file_type().unwrap().is_dir());
            assert_eq!(node.links as usize, 2 + inner.count(), "links of {shown}");
        } else {
            assert_eq!(u64::from(node.links), there.nlink(), "links of {shown}");
        }
        let read = self.archive.xattrs(node).await.unwrap();
        let count = read.len();
        let read: Xattrs = read.into_iter().map(|xattr| (xattr.name, xattr.value)).collect();
        let mut expected = self.xattrs.get(path).cloned().unwrap_or_default();
        expected.extend(self.added_xattrs.clone());
        assert_eq!((read, count), (expected.clone(), expected.len()), "attributes of {shown}");
    }

    async fn compare_content(&self, content: &[u8], file: &Node, dice: &mut Dice) {
        let size = content.len() as u64;
        let mut offset = 0;
        while offset < size {
            let part = self.archive.read(file, offset, 3 << 20).await.unwrap();
            let end = (offset + (3 << 20)).min(size);
            // A difference of megabytes is not worth printing.
            assert!(part == content[offset as usize..end as usize], "content from {offset} on");
            offset = end;
        }
        for _ in 0..4 {
            let offset = dice.below(size + 2);
            let bound = dice.of(&[2, 5_000, 300_000]);
            let len = dice.below(bound);
            let (from, to) = (offset.min(size), (offset + len).min(size));
            let part = self.archive.read(file, offset, len).await.unwrap();
            assert!(part == content[from as usize..to as usize], "{len} bytes from {offset} on");
        }
    }

    async fn compare_entries(&self, real: &Path, dir: &Node, dice: &mut Dice) {
        let names = names(real);
        let limit = match names.len() {
            0..50 => dice.of(&[1, 2, 7, 100]),
            _ => dice.of(&[100, 256, 1_000]),
        };
        let mut seen: Vec<Vec<u8>> = Vec::new();
        loop {
            let after = seen.last().cloned();
            let page = self.archive.entries(dir, after.as_deref(), limit).await.unwrap();
            let is_last = page.len() < limit;
            seen.extend(page.into_iter().map(|entry| entry.name));
            if is_last {
                break;
            }
        }
        assert_eq!(seen, names, "entries of {}", real.display());
        let after = dice.below(0xffff).to_be_bytes()[6..].to_vec();
        let page = self.archive.entries(dir, Some(&after), 3).await.unwrap();
        let page: Vec<Vec<u8>> = page.into_iter().map(|entry| entry.name).collect();
        let expected: Vec<Vec<u8>> =
            names.into_iter().filter(|name| *name > after).take(3).collect();
        assert_eq!(page, expected, "entries of {} after {after:?}", real.display());
    }
}

/// Names in a directory, in byte order.
fn names(dir: &Path) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<Vec<u8>> =
        entries.map(|entry| entry.unwrap().file_name().into_vec()).collect();
    names.sort();
    names
}

/// Paths below a directory, depth first.
fn list(root: &Path, paths: &mut Vec<Vec<u8>>) {
    let mut left: Vec<Vec<u8>> = names(root).into_iter().rev().collect();
    while let Some(path) = left.pop() {
        let real = root.join(OsStr::from_bytes(&path));
        if fs::symlink_metadata(&real).unwrap().is_dir() {
            let inner = names(&real).into_iter().rev();
            left.extend(inner.map(|name| [path.as_slice(), b"/", &name].concat()));
        }
        paths.push(path);
    }
}

/// What the reader found is what `unsquashfs -lln -full -UTC` prints, byte for byte; the
/// sizes of directories, which are those of their listings, aside.
fn compare_listing(archive: &Path, nodes: &[(Vec<u8>, Node)]) {
    let args = ["-lln", "-full", "-UTC", "-dest", "ROOT"];
    let printed = run(Command::new("unsquashfs").args(args).arg(archive));
    let mut rest = printed.as_slice();
    let mut expect = |expected: &[u8]| {
        let printed = &rest[..expected.len().min(rest.len())];
        let shown = (String::from_utf8_lossy(printed), String::from_utf8_lossy(expected));
        assert!(printed == expected, "{} instead of {}", shown.0, shown.1);
        rest = &rest[expected.len()..];
        rest
    };
    for (path, node) in nodes {
        let owner = format!("{}/{}", node.uid, node.gid);
        let room = 25_usize.saturating_sub(owner.len() - 1);
        let (letter, size) = match &node.kind {
            NodeKind::Directory => ('d', None),
            NodeKind::File { size_bytes } => ('-', Some(format!("{size_bytes:>room$}"))),
            NodeKind::Symlink { target } => ('l', Some(format!("{:>room$}", target.len()))),
            NodeKind::Fifo => ('p', Some(format!("{:>room$}", 0))),
            NodeKind::Socket => ('s', Some(format!("{:>room$}", 0))),
            NodeKind::BlockDevice { device } => ('b', Some(numbers(*device, room))),
            NodeKind::CharDevice { device } => ('c', Some(numbers(*device, room))),
        };
        expect(format!("{letter}{} {owner} ", permissions(node.mode)).as_bytes());
        match size {
            Some(size) => drop(expect(size.as_bytes())),
            None => {
                let left = expect(b"");
                let len = left.iter().take_while(|byte| matches!(byte, b' ' | b'0'..=b'9'));
                // Up to the date, which begins with a digit too.
                let line = String::from_utf8_lossy(&left[..len.count()]).into_owned();
                let size = line.rsplit_once(' ').unwrap().0.to_owned();
                expect(size.as_bytes());
            }
        }
        let time = DateTime::from_timestamp(i64::from(node.modified_at_secs), 0).unwrap();
        expect(format!(" {} ROOT", time.format("%Y-%m-%d %H:%M:%S")).as_bytes());
        if !path.is_empty() {
            expect(b"/");
            expect(path);
        }
        if let NodeKind::Symlink { target } = &node.kind {
            expect(b" -> ");
            expect(target);
        }
        expect(b"\n");
    }
    assert!(expect(b"").is_empty(), "more lines");
}

/// As `unsquashfs` prints the numbers of a device: it knows only minor numbers of 8 bits.
fn numbers(device: u32, room: usize) -> String {
    let (major, minor) = (device.cast_signed() >> 8, device & 0xff);
    let room = room.saturating_sub(7).max(1);
    format!("{:room$}{major:>3},{minor:>3}", "")
}

fn permissions(mode: u32) -> String {
    let mut text: Vec<u8> =
        (0..9).map(|at| if mode & (0o400 >> at) == 0 { b'-' } else { b"rwx"[at % 3] }).collect();
    for (bit, at, [set, bare]) in
        [(0o4000, 2, [b's', b'S']), (0o2000, 5, [b's', b'S']), (0o1000, 8, [b't', b'T'])]
    {
        if mode & bit != 0 {
            text[at] = if text[at] == b'x' { set } else { bare };
        }
    }
    String::from_utf8(text).unwrap()
}
