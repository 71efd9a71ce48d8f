//! Two trees that differ in one thing only.

use crate::support::layered::open;
use crate::support::squashfs::{File, Image, Inode, STORED, inode_field, kind};
use futures::executor::block_on;
use snapshotter::domain::error::ErrorCode;
use snapshotter::squashfs::first_difference;

/// Writes one thing of the tree otherwise.
type Change = fn(&mut Image, &mut Vec<(&'static [u8], Inode)>);

const CONTENT: &[u8] = b"#!/bin/sh\necho good\n";

fn archive(change: Change) -> Vec<u8> {
    let mut image = Image::new(4096);
    let file = image.file(CONTENT);
    let link = image.symlink(b"app.sh");
    let start = image.data(b"linked");
    let blocks = [6 | STORED];
    let twice = File { start, size: 6, blocks: &blocks, links: 2, ..File::default() };
    let twice = image.extended_file(&twice);
    let mut entries: Vec<(&'static [u8], Inode)> = vec![
        (&b"app.sh"[..], file),
        (&b"link"[..], link),
        (&b"one"[..], twice),
        (&b"other"[..], twice),
    ];
    change(&mut image, &mut entries);
    // Nothing but the change differs: an inode's time would tell when it was written.
    for (name, inode) in &entries {
        let secs: u32 = if *name == b"link-at-another-time" { 2 } else { 1 };
        image.fields(*inode)[inode_field::TIME..inode_field::TIME + 4]
            .copy_from_slice(&secs.to_le_bytes());
    }
    for (name, _) in &mut entries {
        *name = if *name == b"link-at-another-time" { &b"link"[..] } else { *name };
    }
    entries.sort_by_key(|(name, _)| *name);
    let root = image.directory(&entries);
    image.fields(root)[inode_field::TIME..inode_field::TIME + 4].fill(0);
    image.bytes(root)
}

fn difference(change: Change) -> Option<String> {
    let (one, other) = (open(&[archive(|_, _| {})]).unwrap(), open(&[archive(change)]).unwrap());
    let found = block_on(first_difference(&one, &other, u64::MAX, u64::MAX)).unwrap();
    assert_eq!(found, block_on(first_difference(&other, &one, u64::MAX, u64::MAX)).unwrap());
    found.map(|path| String::from_utf8(path).unwrap())
}

/// Replaces bytes of the first file's inode.
fn set(image: &mut Image, entries: &[(&'static [u8], Inode)], field: usize, byte: u8) {
    let inode = entries[0].1;
    image.fields(inode)[field] ^= byte;
}

#[test]
fn each_thing_that_a_restore_brings_back_is_compared() {
    assert_eq!(difference(|_, _| {}), None);
    let changes: [(&str, Change); 11] = [
        ("evil.txt", |image, entries| entries.push((&b"evil.txt"[..], image.file(b"pwned")))),
        ("app.sh", |_, entries| {
            entries.remove(0);
        }),
        ("app.sh", |image, entries| entries[0].1 = image.file(b"#!/bin/sh\necho evil\n")),
        ("app.sh", |image, entries| entries[0].1 = image.file(b"longer than it was, by far")),
        ("app.sh", |image, entries| set(image, entries, inode_field::MODE, 0o111)),
        ("app.sh", |image, entries| set(image, entries, inode_field::OWNER, 1)),
        ("app.sh", |image, entries| set(image, entries, inode_field::GROUP, 1)),
        ("link", |_, entries| entries[1].0 = b"link-at-another-time"),
        ("app.sh", |image, entries| entries[0].1 = image.symlink(b"app.sh")),
        ("link", |image, entries| entries[1].1 = image.symlink(b"/etc/passwd")),
        // Two files of the same content instead of one with two names.
        ("other", |image, entries| {
            let start = image.data(b"linked");
            let blocks = [6 | STORED];
            let file = File { start, size: 6, blocks: &blocks, links: 2, ..File::default() };
            entries[3].1 = image.extended_file(&file);
        }),
    ];
    for (at, (path, change)) in changes.into_iter().enumerate() {
        assert_eq!(difference(change).as_deref(), Some(path), "{at}");
    }
    let fifo = |image: &mut Image, entries: &mut Vec<(&'static [u8], Inode)>| {
        entries[0].1 = image.special(kind::FIFO);
    };
    assert_eq!(difference(fifo).as_deref(), Some("app.sh"));
}

#[test]
fn attributes_that_snapshots_keep_are_compared_and_no_others() {
    let with = |name: &'static [u8], value: &'static [u8], class: u16| {
        let mut image = Image::new(4096);
        let list = image.xattr_list(&[(class, name, value)]);
        let start = image.data(b"x");
        let blocks = [1 | STORED];
        let file = File { start, size: 1, blocks: &blocks, xattrs: list, ..File::default() };
        let file = image.extended_file(&file);
        let root = image.directory(&[(b"f", file)]);
        open(&[image.bytes(root)]).unwrap()
    };
    let found = |one, other| block_on(first_difference(&one, &other, u64::MAX, u64::MAX)).unwrap();
    // 0: user., 1: trusted., 2: security.
    assert_eq!(found(with(b"a", b"1", 0), with(b"a", b"1", 0)), None);
    assert_eq!(found(with(b"a", b"1", 0), with(b"a", b"2", 0)), Some(b"f".to_vec()));
    assert_eq!(found(with(b"a", b"1", 0), with(b"b", b"1", 0)), Some(b"f".to_vec()));
    assert_eq!(found(with(b"a", b"1", 1), with(b"a", b"2", 1)), None);
    let capability = |value| with(b"capability", value, 2);
    assert_eq!(found(capability(b"1"), capability(b"2")), Some(b"f".to_vec()));
}

#[test]
fn no_more_content_is_read_than_allowed() {
    let (one, other) = (open(&[archive(|_, _| {})]).unwrap(), open(&[archive(|_, _| {})]).unwrap());
    let all_bytes = CONTENT.len() as u64 + 6;
    assert_eq!(block_on(first_difference(&one, &other, all_bytes, u64::MAX)).unwrap(), None);
    let error = block_on(first_difference(&one, &other, all_bytes - 1, u64::MAX)).unwrap_err();
    assert_eq!(error.code, ErrorCode::TooLarge);
}

#[test]
fn no_more_paths_are_looked_at_than_allowed() {
    let (one, other) = (open(&[archive(|_, _| {})]).unwrap(), open(&[archive(|_, _| {})]).unwrap());
    assert_eq!(block_on(first_difference(&one, &other, u64::MAX, 4)).unwrap(), None);
    let error = block_on(first_difference(&one, &other, u64::MAX, 3)).unwrap_err();
    assert_eq!(error.code, ErrorCode::TooLarge);
    assert!(error.message.contains("3 paths"), "{error}");
}
