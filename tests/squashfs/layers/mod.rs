//! Layers, read as one tree: as the full archive of the same files would be. And hostile
//! ones.

mod history;

use crate::memory::peak_bytes;
use crate::support::layered::{Seen, open, rest, seen};
use crate::support::squashfs::{Image, Inode, kind, words};
use crate::{CACHE_BYTES, assert_damaged, code};
use futures::executor::block_on;
use history::{History, Step, parent, steps};
use proptest::prelude::*;
use snapshotter::domain::error::{ErrorCode, Result};
use snapshotter::squashfs::{Entry, LayeredTree, Node, NodeKind, first_difference};
use std::collections::BTreeSet;

const MEMORY_BYTES: usize = CACHE_BYTES + (12 << 20);

fn only_paths(nodes: Vec<(Vec<u8>, Node)>) -> Vec<Vec<u8>> {
    nodes.into_iter().map(|(path, _)| path).collect()
}

/// Names of a directory, so many at a time.
async fn pages(tree: &LayeredTree, dir: &Node, limit: usize) -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = Vec::new();
    loop {
        let page = tree.entries(dir, names.last().map(Vec::as_slice), limit).await.unwrap();
        let is_last = page.len() < limit;
        for entry in page {
            let child = tree.child(dir, &entry.name).await.unwrap();
            assert_eq!(child, Some(entry.node));
            names.push(entry.name);
        }
        if is_last {
            return names;
        }
    }
}

/// Compares two ways to read a tree. `paths` are some that may be in it.
async fn assert_same(layered: &LayeredTree, full: &LayeredTree, paths: &BTreeSet<Vec<u8>>) {
    let (one, other) = (seen(layered).await, seen(full).await);
    assert_eq!(one, other);
    assert_eq!(first_difference(layered, full, u64::MAX, u64::MAX).await.unwrap(), None);
    for Seen { path, kind, .. } in &one {
        if *kind == NodeKind::Directory {
            let dir = layered.find(path).await.unwrap().unwrap();
            let same = full.find(path).await.unwrap().unwrap();
            for limit in [1, 3, 1_000] {
                let names = pages(layered, &dir, limit).await;
                assert_eq!(names, pages(full, &same, limit).await, "{path:?}");
            }
        }
    }
    for path in paths {
        for path in [path.clone(), [path.as_slice(), b"!"].concat()] {
            let found = layered.find(&path).await.unwrap().is_some();
            assert_eq!(found, full.find(&path).await.unwrap().is_some(), "{path:?}");
            let one = layered.walk_after(layered.root(), &path).await.unwrap();
            let other = full.walk_after(full.root(), &path).await.unwrap();
            let (one, other) = (only_paths(rest(one).await), only_paths(rest(other).await));
            assert_eq!(one, other, "after {path:?}");
            let Some(dir) = layered.find(parent(&path)).await.unwrap() else { continue };
            let same = full.find(parent(&path)).await.unwrap().unwrap();
            let name = path.rsplit(|byte| *byte == b'/').next();
            let entries = layered.entries(&dir, name, 2).await;
            let expected = full.entries(&same, name, 2).await;
            assert_eq!(entries.is_ok(), expected.is_ok());
            let names = |entries: Result<Vec<Entry>>| -> Vec<Vec<u8>> {
                entries.into_iter().flatten().map(|entry| entry.name).collect()
            };
            assert_eq!(names(entries), names(expected), "after {path:?}");
        }
    }
}

/// Reads it in both ways after each generation.
fn check(generations: &[Vec<Step>]) {
    let mut tree = History::default();
    let (mut archives, mut paths) = (Vec::new(), BTreeSet::new());
    let mut before: Option<LayeredTree> = None;
    for steps in generations {
        let base = tree.clone();
        steps.iter().for_each(|step| tree.take(step));
        paths.extend(tree.paths().cloned());
        let full = tree.full();
        archives.push(if archives.is_empty() { full.clone() } else { tree.layer_on(&base) });
        let (layered, full) = (open(&archives).unwrap(), open(&[full]).unwrap());
        block_on(assert_same(&layered, &full, &paths));
        if let Some(before) = &before {
            let is_same = block_on(seen(before)) == block_on(seen(&full));
            let found = block_on(first_difference(before, &layered, u64::MAX, u64::MAX)).unwrap();
            assert_eq!(found.is_none(), is_same, "{found:?}");
        }
        before = Some(full);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn layers_read_as_the_full_archive_of_their_files(
        generations in prop::collection::vec(steps(), 1..10),
    ) {
        check(&generations);
    }
}

fn whiteout(image: &mut Image) -> Inode {
    image.inode(kind::CHAR, 0, &words(&[1, 0]))
}

/// An archive whose root is what `root` makes.
fn archive(root: impl FnOnce(&mut Image) -> Inode) -> Vec<u8> {
    let mut image = Image::new(4096);
    let root = root(&mut image);
    image.bytes(root)
}

/// One with a file `file` and a directory `dir` with a file `in`.
fn base() -> Vec<u8> {
    archive(|image| {
        let file = image.file(b"content");
        let dir = image.directory(&[(b"in", file)]);
        image.directory(&[(b"dir", dir), (b"file", file)])
    })
}

fn walked(archives: &[Vec<u8>]) -> Result<Vec<String>> {
    let tree = open(archives)?;
    block_on(async {
        let mut walk = tree.walk(tree.root());
        let mut paths = Vec::new();
        while let Some((path, _)) = walk.next().await? {
            paths.push(String::from_utf8_lossy(&path).into_owned());
        }
        Ok(paths)
    })
}

#[test]
fn a_layer_whose_root_is_no_directory_is_damage() {
    let roots: [fn(&mut Image) -> Inode; 3] =
        [whiteout, |image| image.file(b"x"), |image| image.symlink(b"/")];
    for root in roots {
        let error = open(&[base(), archive(root), base()]).err().unwrap();
        assert_eq!(error.code, ErrorCode::Integrity);
        assert!(error.message.starts_with("archive 1: "), "{}", error.message);
    }
}

#[test]
fn errors_name_the_archive_that_is_damaged() {
    let names: [&[u8]; 4] = [b".", b"..", b"a/b", b"nul\0"];
    for name in names {
        let odd = archive(|image| {
            let file = image.file(b"x");
            image.directory(&[(name, file)])
        });
        for archives in [[base(), odd.clone(), base()], [base(), base(), odd]] {
            let layer = archives.iter().rposition(|bytes| *bytes != base()).unwrap();
            let error = walked(&archives).unwrap_err();
            assert_eq!(error.code, ErrorCode::Integrity);
            let named = error.message.starts_with(&format!("archive {layer}: "));
            assert!(named, "{}", error.message);
        }
    }
    let error = open(&[base(), b"hsqs".to_vec()]).err().unwrap();
    assert!(error.message.starts_with("archive 1: "), "{}", error.message);
}

#[test]
fn whiteouts_of_nothing_do_no_harm() {
    let layer = archive(|image| {
        let gone = whiteout(image);
        let file = image.file(b"new");
        let inner = image.directory(&[(b"in", gone)]);
        let dir = image.directory(&[(b"in", gone), (b"in!", gone), (b"new", file)]);
        image.directory(&[(b"dir", dir), (b"empty", inner), (b"nothing", gone), (b"~", gone)])
    });
    let archives = [base(), layer.clone(), layer];
    assert_eq!(walked(&archives).unwrap(), ["dir", "dir/new", "empty", "file"]);
    let tree = open(&archives).unwrap();
    for path in ["dir/in", "dir/in/below", "empty/in", "nothing", "nothing/below", "~"] {
        assert_eq!(block_on(tree.find(path.as_bytes())).unwrap(), None, "{path}");
    }
}

/// A full archive removes nothing: the device is one of the files.
#[test]
fn a_device_in_a_full_archive_is_a_device() {
    let full = archive(|image| {
        let device = whiteout(image);
        image.directory(&[(b"device", device)])
    });
    let empty = archive(|image| image.directory(&[]));
    assert_eq!(walked(std::slice::from_ref(&full)).unwrap(), ["device"]);
    assert_eq!(walked(&[full.clone(), empty]).unwrap(), ["device"]);
    assert_eq!(walked(&[full.clone(), full]).unwrap(), [""; 0]);
}

#[test]
fn other_devices_in_a_layer_are_devices() {
    for (kind, device) in [(kind::CHAR, 0x103), (kind::BLOCK, 0), (kind::CHAR, 1 << 31)] {
        let layer = archive(|image| {
            let device = image.inode(kind, 0o600, &words(&[1, device]));
            image.directory(&[(b"file", device)])
        });
        assert_eq!(walked(&[base(), layer]).unwrap(), ["dir", "dir/in", "file"]);
    }
}

#[test]
fn a_directory_of_a_layer_in_itself_is_damage() {
    let looped = archive(|image| {
        let itself = image.next(kind::DIRECTORY);
        image.directory(&[(b"again", itself)])
    });
    for archives in [[base(), looped.clone()], [looped.clone(), base()], [looped.clone(), looped]] {
        assert_damaged("a loop", walked(&archives));
    }
}

/// Directories in each other, so many.
fn nested(levels: usize) -> Vec<u8> {
    archive(|image| {
        let mut inner = image.directory(&[]);
        for _ in 0..levels {
            inner = image.directory(&[(b"d", inner)]);
        }
        inner
    })
}

#[test]
fn deep_directories_of_many_layers_are_bounded() {
    assert_eq!(walked(&vec![nested(400); 9]).unwrap().len(), 400);
    assert_eq!(
        walked(&vec![nested(400); 40]).map(|_| ()).map_err(|e| e.code),
        Err(ErrorCode::Unsupported)
    );
    let archives = vec![nested(2_000); 9];
    let (walked, peak) = peak_bytes(|| walked(&archives));
    assert_eq!(code(walked), ErrorCode::Unsupported);
    assert!(peak <= MEMORY_BYTES, "{peak}");
}

#[test]
fn a_walk_past_too_many_removed_paths_ends() {
    let whiteouts = |count: usize| {
        archive(|image| {
            let gone = whiteout(image);
            let names: Vec<String> = (0..count).map(|at| format!("{at:07}")).collect();
            let entries: Vec<(&[u8], Inode)> =
                names.iter().map(|name| (name.as_bytes(), gone)).collect();
            image.directory(&entries)
        })
    };
    assert_eq!(walked(&[base(), whiteouts(100_000)]).unwrap(), ["dir", "dir/in", "file"]);
    let archives = [base(), whiteouts(1_000_001)];
    let (walked, peak) = peak_bytes(|| walked(&archives));
    assert_eq!(code(walked), ErrorCode::Unsupported);
    // The archive itself, twice, and what is read of it.
    assert!(peak <= 2 * archives[1].len() + MEMORY_BYTES, "{peak}");
}

#[test]
fn a_tree_needs_an_archive() {
    assert!(open(&[]).is_err());
}
