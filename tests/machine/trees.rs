//! What a comparison reads of a workspace's tree. The real scripts answer as the tree in
//! memory of other tests.

use crate::support::stream::MemoryBytes;
use crate::support::tree::MemoryTree;
use crate::{World, code, now};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use miniz_oxide::inflate::decompress_to_vec;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::tree::{TreeEntry, TreeKind, record};
use snapshotter::ports::sandbox::{SandboxApi, TreeOptions, TreeRead};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

impl World {
    fn read_tree(&self, read: TreeRead, input: &[u8]) -> Vec<u8> {
        let options = TreeOptions { read, instance_id: None };
        let input = Box::new(MemoryBytes::of([input.to_vec()]));
        BASE64
            .decode(now(self.sandbox.read_tree(input, self.root.clone(), options)).unwrap())
            .unwrap()
    }

    /// The tree on the disk, by Rust's own means.
    fn tree(&self) -> MemoryTree {
        let mut tree = MemoryTree::default();
        let mut dirs = vec![Vec::new()];
        while let Some(dir) = dirs.pop() {
            for found in fs::read_dir(self.real(&dir)).unwrap().flatten() {
                let name = found.file_name().as_bytes().to_vec();
                let path = if dir.is_empty() { name } else { [&dir, &b"/"[..], &name].concat() };
                let (metadata, real) = (found.metadata().unwrap(), self.real(&path));
                let mut content = Vec::new();
                let kind = if metadata.is_dir() {
                    dirs.push(path.clone());
                    TreeKind::Directory
                } else if metadata.is_symlink() {
                    let target = fs::read_link(real).unwrap();
                    TreeKind::Symlink { target: target.as_os_str().as_bytes().to_vec() }
                } else if metadata.is_file() {
                    content = fs::read(real).unwrap();
                    let modified_at_secs = Some(metadata.mtime());
                    TreeKind::File { size_bytes: metadata.len(), modified_at_secs }
                } else {
                    TreeKind::Other(b'p')
                };
                let mode = metadata.mode() & 0o7777;
                let entry = TreeEntry { kind, mode, uid: metadata.uid(), gid: metadata.gid() };
                tree.0.insert(path, (entry, content));
            }
        }
        tree
    }
}

const NAMES: [&[u8]; 8] = [
    b"plain",
    b" a b ",
    b"-rf",
    b"new\nline",
    b"bad\xff\xfe",
    b"a>b",
    b"dir/\xe2\x82\xac",
    b"dir/.hidden",
];

fn hostile() -> World {
    let world = World::new();
    for name in NAMES {
        world.put(name, [b"of ", name].concat());
    }
    world.link("a>b", "link>with>arrows");
    std::os::unix::fs::symlink(OsStr::from_bytes(b"no\nwhere\xff"), world.real("broken")).unwrap();
    fs::set_permissions(world.real("plain"), PermissionsExt::from_mode(0o4750)).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(world.real("pipe")).status().unwrap();
    assert!(pipe.success());
    world
}

fn lines(printed: &[u8]) -> BTreeSet<Vec<u8>> {
    let lines = printed.split(|byte| *byte == 0).filter(|line| !line.is_empty());
    lines.map(<[u8]>::to_vec).collect()
}

fn inflated(printed: &[u8]) -> BTreeSet<Vec<u8>> {
    lines(&decompress_to_vec(&printed[10..]).unwrap())
}

#[test]
fn only_what_differs_comes_back() {
    let world = hostile();
    let tree = world.tree();
    assert_eq!(tree.0.len(), NAMES.len() + 4, "dir, two links and a pipe");
    let list = |tree: &MemoryTree| -> Vec<u8> {
        let records = tree.0.iter().map(|(path, (entry, _))| record::write(path, entry));
        records.flat_map(|record| [record, vec![0]].concat()).collect()
    };
    let same = list(&tree);
    assert!(inflated(&world.read_tree(TreeRead::Differences, &same)).is_empty());
    let fresh = world.read_tree(TreeRead::Differences, b"");
    assert_eq!(inflated(&fresh), inflated(&tree.read(TreeRead::Differences, b"")));
    assert_eq!(inflated(&fresh).len(), tree.0.len());

    let mut other = tree.clone();
    other.0.remove(&b"new\nline"[..]).unwrap();
    other.put("gone", "x", 7);
    other.0.get_mut(&b"bad\xff\xfe"[..]).unwrap().0.mode = 0o600;
    let told = world.read_tree(TreeRead::Differences, &list(&other));
    assert_eq!(inflated(&told), inflated(&tree.read(TreeRead::Differences, &list(&other))));
    assert_eq!(inflated(&told).len(), 4, "a new one, a removed one, and both sides of one");
    let left: Vec<_> = fs::read_dir(world.own.path()).unwrap().flatten().collect();
    assert!(left.iter().all(|entry| entry.file_name() == "instance"), "{left:?}");
}

#[test]
fn hashes_and_contents_are_those_of_the_files() {
    let world = hostile();
    let tree = world.tree();
    let asked: Vec<u8> = NAMES
        .into_iter()
        .chain([&b"missing"[..], b"dir", b"broken", b"a/b"])
        .flat_map(|name| [name, b"\0"].concat())
        .collect();
    let hashes = world.read_tree(TreeRead::Hashes, &asked);
    assert_eq!(lines(&hashes), lines(&tree.read(TreeRead::Hashes, &asked)));
    for max_bytes in [0, 3, 1_000] {
        let read = TreeRead::Contents { max_bytes };
        assert_eq!(world.read_tree(read, &asked), tree.read(read, &asked), "{max_bytes}");
    }
    assert!(world.read_tree(TreeRead::Hashes, b"").is_empty());
}

#[test]
fn a_tree_that_is_not_there_is_an_error() {
    let world = World::new();
    let read = |path: &str| {
        let options = TreeOptions { read: TreeRead::Differences, instance_id: None };
        let input = Box::new(MemoryBytes::of([b"f 644 0 0 0 0 a\0".to_vec()]));
        now(world.sandbox.read_tree(input, world.path(path), options))
    };
    assert_eq!(code(read("missing")), ErrorCode::NotFound);
    world.put("file", "x");
    assert_eq!(code(read("file")), ErrorCode::InvalidArgument);
}
