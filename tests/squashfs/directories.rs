//! Directories that lead back, hold what no directory can, or lie about themselves.

use crate::memory::peak_bytes;
use crate::support::squashfs::{
    Image, Inode, Listing, NONE, Place, RawEntry, Run, kind, runs, words,
};
use crate::{Reader, assert_damaged, code};
use snapshotter::domain::error::ErrorCode;
use snapshotter::squashfs::NodeKind;

const MEMORY_BYTES: usize = 16 << 20;

/// An archive whose root has these entries, in this order.
fn archive(names: &[&[u8]]) -> Reader {
    let mut image = Image::new(4096);
    let fifo = image.special(kind::FIFO);
    let entries: Vec<(&[u8], Inode)> = names.iter().map(|name| (*name, fifo)).collect();
    let root = image.directory(&entries);
    Reader::open(image.bytes(root)).unwrap()
}

#[test]
fn names_may_have_any_bytes_but_slash_and_nul() {
    let longest = [b'x'; 255];
    let names: [&[u8]; 7] =
        [b"\x01\x1b[31m", b" ", b"...", b"a\nb", &longest, b"\x80\xff", b"\xff\xfe"];
    let reader = archive(&names);
    assert_eq!(reader.names().unwrap(), names);
    for name in names {
        assert_eq!(reader.find(name).unwrap().unwrap().kind, NodeKind::Fifo);
        let missing = [name, b"!"].concat();
        assert_eq!(reader.find(missing).unwrap(), None);
    }
}

#[test]
fn names_that_no_entry_can_have_are_damage() {
    let too_long = [b'x'; 300];
    let names: [&[u8]; 9] =
        [b".", b"..", b"a/b", b"/", b"/etc", b"../../etc", b"nul\0", b"\0", &too_long];
    for name in names {
        let what = String::from_utf8_lossy(name);
        let reader = archive(&[name]);
        assert_damaged(&what, reader.names());
        assert_damaged(&what, reader.walk(10));
    }
    // The length of an empty name is written as -1, which is 65,536.
    assert_damaged("empty", archive(&[b""]).names());
}

#[test]
fn names_out_of_order_or_twice_are_damage() {
    for names in [&[b"b".as_slice(), b"a"], &[b"a", b"a"], &[b"ab", b"a"]] {
        let reader = archive(names);
        assert_damaged(&format!("{names:?}"), reader.names());
        assert_damaged(&format!("{names:?}"), reader.walk(10));
    }
}

#[test]
fn paths_are_relative_to_the_root_and_lead_nowhere_else() {
    let mut image = Image::new(4096);
    let file = image.file(b"content");
    let inner = image.directory(&[(b"file", file)]);
    let link = image.symlink(b"inner");
    let root = image.directory(&[(b"inner", inner), (b"link", link)]);
    let reader = Reader::open(image.bytes(root)).unwrap();
    let found = |path: &str| reader.find(path).unwrap().map(|node| node.inode);
    assert_eq!(found(""), Some(root.number));
    assert_eq!(found("."), Some(root.number));
    assert_eq!(found("inner/file"), Some(file.number));
    for path in
        ["link/file", "inner/file/more", "inner/fil", "inner/file2", "Inner", "nothing/here"]
    {
        assert_eq!(found(path), None, "{path}");
    }
    for path in ["..", "inner/..", "../inner", "inner/../inner/file"] {
        assert_eq!(code(reader.find(path)), ErrorCode::InvalidArgument, "{path}");
    }
}

#[test]
fn entries_come_in_pages() {
    let names: Vec<String> = (0..1_000).map(|at| format!("{at:04}")).collect();
    let mut image = Image::new(4096);
    let fifos: Vec<Inode> = names.iter().map(|_| image.special(kind::FIFO)).collect();
    let entries: Vec<(&[u8], Inode)> =
        names.iter().zip(&fifos).map(|(name, fifo)| (name.as_bytes(), *fifo)).collect();
    let root = image.directory(&entries);
    let reader = Reader::open(image.bytes(root)).unwrap();
    let root = reader.root().unwrap();
    for limit in [1, 7, 256, 999, 1_000, 2_000] {
        let mut seen = Vec::new();
        loop {
            let after: Option<Vec<u8>> = seen.last().map(|name: &String| name.clone().into_bytes());
            let page = reader.entries(&root, after.as_deref(), limit).unwrap();
            assert!(page.len() <= limit);
            for entry in &page {
                let name = String::from_utf8(entry.name.clone()).unwrap();
                let at: usize = name.parse().unwrap();
                assert_eq!(entry.node.inode, fifos[at].number);
                seen.push(name);
            }
            if page.len() < limit {
                break;
            }
        }
        assert_eq!(seen, names, "{limit} at a time");
    }
    // A place between names, before all and after all.
    let after = |after: &[u8]| {
        reader
            .entries(&root, Some(after), 2)
            .unwrap()
            .into_iter()
            .map(|entry| entry.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(after(b"0500!"), [b"0501", b"0502"]);
    assert_eq!(after(b""), [b"0000", b"0001"]);
    assert!(after(b"0999").is_empty() && after(b"~").is_empty());
    assert!(reader.entries(&root, None, 0).unwrap().is_empty());
}

#[test]
fn a_directory_in_itself_is_damage() {
    let mut image = Image::new(4096);
    // The root's inode follows.
    let itself = image.next(kind::DIRECTORY);
    let root = image.directory(&[(b"again", itself)]);
    let (walked, peak) = peak_bytes(|| Reader::open(image.bytes(root)).unwrap().walk(100_000));
    assert_damaged("the root in itself", walked);
    assert!(peak <= MEMORY_BYTES, "{peak}");

    // Through three others.
    let mut image = Image::new(4096);
    let fourth = Inode { place: Place::of(3 * 40), number: 4, kind: kind::DIRECTORY };
    let mut inner = fourth;
    for name in [b"a", b"b", b"c", b"d"] {
        inner = image.directory(&[(name, inner)]);
    }
    assert_eq!((inner.place, inner.number), (fourth.place, fourth.number));
    let reader = Reader::open(image.bytes(inner)).unwrap();
    assert_damaged("a circle", reader.walk(100_000));
}

/// Thirty directories, each twice in the one above: not a circle, but 2³⁰ paths.
#[test]
fn a_directory_in_two_places_is_not_walked_for_ever() {
    let mut image = Image::new(4096);
    let mut inner = image.directory(&[]);
    for _ in 0..30 {
        inner = image.directory(&[(b"a", inner), (b"b", inner)]);
    }
    let reader = Reader::open(image.bytes(inner)).unwrap();
    let (walked, peak) = peak_bytes(|| reader.walk(2_000_000));
    assert_damaged("directories in two places", walked);
    assert!(peak <= MEMORY_BYTES, "{peak}");
}

fn nested(levels: usize) -> Reader {
    let mut image = Image::new(4096);
    let mut inner = image.directory(&[]);
    for _ in 0..levels {
        inner = image.directory(&[(b"d", inner)]);
    }
    Reader::open(image.bytes(inner)).unwrap()
}

#[test]
fn deep_directories_are_walked_without_recursion() {
    let reader = nested(2_000);
    let paths = reader.walk(10_000).unwrap();
    assert_eq!(paths.len(), 2_000);
    let deepest = paths.last().unwrap();
    assert_eq!(deepest, &vec![b"d".as_slice(); 2_000].join(&b'/'));
    assert!(reader.find(deepest).unwrap().is_some());
    // No file system can hold this one.
    let reader = nested(50_000);
    let (walked, peak) = peak_bytes(|| reader.walk(2_000));
    assert!(walked.is_ok_and(|paths| paths.len() == 2_000));
    assert!(peak <= MEMORY_BYTES, "{peak}");
    assert_eq!(code(reader.walk(100_000)), ErrorCode::Unsupported);
}

#[test]
fn a_walk_goes_depth_first_and_can_skip() {
    let mut image = Image::new(4096);
    let fifo = image.special(kind::FIFO);
    let b = image.directory(&[(b"in", fifo)]);
    let empty = image.directory(&[]);
    let root = image.directory(&[(b"a", empty), (b"b", b), (b"b!", fifo)]);
    let reader = Reader::open(image.bytes(root)).unwrap();
    let show = |paths: Vec<Vec<u8>>| paths.join(&b' ');
    assert_eq!(show(reader.walk(100).unwrap()), b"a b b/in b!");
    let root = reader.root().unwrap();
    let mut walk = reader.archive.walk(&root);
    let mut seen = Vec::new();
    while let Some((path, node)) = futures::executor::block_on(walk.next()).unwrap() {
        if node.kind == NodeKind::Directory {
            walk.skip();
        }
        seen.push(path);
    }
    assert_eq!(show(seen), b"a b b!");
    // Of a directory below the root, paths are relative to it; of a file there is nothing.
    let b = reader.node("b");
    let mut walk = reader.archive.walk(&b);
    assert_eq!(futures::executor::block_on(walk.next()).unwrap().unwrap().0, b"in");
    assert!(futures::executor::block_on(walk.next()).unwrap().is_none());
}

fn entry(name: &[u8], inode: Inode) -> RawEntry<'_> {
    RawEntry { offset: inode.place.offset, delta: 0, kind: inode.kind, name }
}

/// The root has these runs in its listing, which claims this size.
fn listed(image: &mut Image, runs: &[Run<'_>], size: Option<u32>) -> Inode {
    let listing = image.listing(runs);
    image.directory_of(Listing { size: size.unwrap_or(listing.size), ..listing }, &[])
}

#[test]
fn inode_numbers_may_go_down_within_a_run() {
    let mut image = Image::new(4096);
    let first = image.special(kind::FIFO);
    let second = image.special(kind::SOCKET);
    let entries = vec![entry(b"a", second), RawEntry { delta: -1, ..entry(b"b", first) }];
    let root = listed(&mut image, &[Run { block: 0, number: second.number, entries }], None);
    let reader = Reader::open(image.bytes(root)).unwrap();
    assert_eq!((reader.node("a").inode, reader.node("b").inode), (2, 1));
}

#[test]
fn a_listing_that_lies_is_damage() {
    type Lie = fn(&mut Image, Inode) -> Inode;
    let lies: [(&str, Lie); 9] = [
        ("a number below 0", |image, fifo| {
            let entries = vec![RawEntry { delta: i16::MIN, ..entry(b"a", fifo) }];
            listed(image, &[Run { block: 0, number: 1, entries }], None)
        }),
        ("a number beyond all", |image, fifo| {
            let entries = vec![RawEntry { delta: 5, ..entry(b"a", fifo) }];
            listed(image, &[Run { block: 0, number: u32::MAX, entries }], None)
        }),
        ("a run of no entries", |image, _| {
            listed(image, &[Run { block: 0, number: 1, entries: Vec::new() }], None)
        }),
        ("a run of 257", |image, fifo| {
            let names: Vec<String> = (0..257).map(|at| format!("{at:03}")).collect();
            let entries = names.iter().map(|name| entry(name.as_bytes(), fifo)).collect();
            listed(image, &[Run { block: 0, number: 1, entries }], None)
        }),
        ("a block beyond the inodes", |image, fifo| {
            listed(
                image,
                &[Run { block: 1 << 30, number: 1, entries: vec![entry(b"a", fifo)] }],
                None,
            )
        }),
        ("an offset beyond the block", |image, fifo| {
            let entries = vec![RawEntry { offset: 8192, ..entry(b"a", fifo) }];
            listed(image, &[Run { block: 0, number: 1, entries }], None)
        }),
        ("a size beyond the table", |image, fifo| {
            let run = Run { block: 0, number: 1, entries: vec![entry(b"a", fifo)] };
            listed(image, &[run], Some(1 << 30))
        }),
        ("a size that cuts an entry", |image, fifo| {
            let run = Run { block: 0, number: 1, entries: vec![entry(b"a", fifo)] };
            listed(image, &[run], Some(3 + 12 + 8))
        }),
        ("a listing beyond the table", |image, fifo| {
            image.listing(&runs(&[(b"a", fifo)]));
            image
                .directory_of(Listing { place: Place { block: 1 << 30, offset: 0 }, size: 24 }, &[])
        }),
    ];
    for (what, lie) in lies {
        let mut image = Image::new(4096);
        let fifo = image.special(kind::FIFO);
        let root = lie(&mut image, fifo);
        let reader = Reader::open(image.bytes(root)).unwrap();
        assert_damaged(what, reader.names());
        assert_damaged(what, reader.walk(1_000));
    }
}

#[test]
fn inodes_that_lie_are_damage() {
    // Of a directory, as an entry of the root: kind, and fields after the header.
    let cases = [
        ("no type", 0, words(&[1])),
        ("a type beyond all", 15, words(&[1; 12])),
        ("a link of 4 GiB", kind::SYMLINK, words(&[1, u32::MAX])),
        (
            "a link beyond the limit",
            kind::SYMLINK,
            [words(&[1, 70_000]), vec![b'x'; 70_000]].concat(),
        ),
        ("a link beyond the table", kind::SYMLINK, words(&[1, 60_000])),
        ("an owner that is not", kind::FIFO, words(&[1])),
    ];
    for (what, kind, body) in cases {
        let mut image = Image::new(4096);
        if what == "an owner that is not" {
            image.ids.truncate(1);
        }
        let inode = image.inode(kind, 0o644, &body);
        let known = if inode.kind == 0 || inode.kind > 7 { kind::FIFO } else { inode.kind };
        let root = image.next(kind::DIRECTORY);
        let listing = image.listing(&runs(&[(b"a", Inode { kind: known, ..inode })]));
        // The root's own owner is the first, its group too.
        image.directory_of(listing, &[]);
        let start = image.inodes.len() - 40;
        image.inodes[start + 6] = 0;
        let reader = Reader::open(image.bytes(root)).unwrap();
        assert_damaged(what, reader.find("a"));
        assert_damaged(what, reader.names());
    }
}

#[test]
fn an_entry_of_another_type_than_its_inode_is_damage() {
    let mut image = Image::new(4096);
    let fifo = image.special(kind::FIFO);
    let root = image.directory(&[(b"a", Inode { kind: kind::DIRECTORY, ..fifo })]);
    let reader = Reader::open(image.bytes(root)).unwrap();
    assert_damaged("a fifo listed as a directory", reader.walk(10));
}

#[test]
fn a_root_that_is_no_directory_is_damage() {
    let mut image = Image::new(4096);
    let file = image.file(b"content");
    let opened = Reader::open(image.bytes(file)).and_then(|reader| reader.root());
    assert_damaged("a file as the root", opened);
}

#[test]
fn a_basic_directory_may_be_empty() {
    let mut image = Image::new(4096);
    let mut body = words(&[0, 2]);
    body.extend([3, 0, 0, 0]);
    body.extend(words(&[NONE]));
    let root = image.inode(kind::DIRECTORY, 0o755, &body);
    let reader = Reader::open(image.bytes(root)).unwrap();
    assert!(reader.names().unwrap().is_empty());
    // Sizes below 3 are not written by anyone; they hold nothing either.
    let mut image = Image::new(4096);
    body[8] = 1;
    let root = image.inode(kind::DIRECTORY, 0o755, &body);
    let reader = Reader::open(image.bytes(root)).unwrap();
    assert!(reader.names().map_or(true, |names| names.is_empty()));
}
