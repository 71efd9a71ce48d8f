//! Archives as trees, in any order.

use crate::archive::{Member, bytes_of, dir, file, link, member, pax, tar};
use crate::{Reader, open_tar};
use proptest::prelude::*;
use snapshotter::squashfs::NodeKind;
use std::collections::BTreeMap;

#[test]
fn directories_that_only_names_have_are_there() {
    let reader =
        open_tar(&tar(&[file("a/b/c", b"1"), file("a.x", b"2"), file("a/b.x", b"3")])).unwrap();
    assert_eq!(reader.paths(), ["a", "a/b", "a/b/c", "a/b.x", "a.x"]);
    let implied = reader.node("a/b");
    assert_eq!((implied.kind, implied.mode, implied.uid), (NodeKind::Directory, 0o755, 0));
    assert_eq!(reader.content("a/b/c"), b"1");
    let empty = open_tar(&tar(&[])).unwrap();
    assert!(empty.paths().is_empty());
    assert_eq!(empty.tree.root().kind, NodeKind::Directory);
}

#[test]
fn names_are_cleaned_and_the_root_is_an_entry() {
    let reader = open_tar(&tar(&[
        Member { mode: 0o700, ..dir("./") },
        dir("./d//"),
        file(".//d/./f", b"x"),
    ]));
    let reader = reader.unwrap();
    assert_eq!(reader.paths(), ["d", "d/f"]);
    assert_eq!(reader.tree.root().mode, 0o700);
}

#[test]
fn the_later_of_two_equal_directories_counts() {
    let reader =
        open_tar(&tar(&[dir("d"), file("d/f", b"x"), Member { mode: 0o700, ..dir("d/") }]));
    assert_eq!(reader.unwrap().node("d").mode, 0o700);
}

#[test]
fn a_hard_link_is_the_file_before_it() {
    let reader = open_tar(&tar(&[
        file("z", b"content"),
        link(b'1', "a", "./z"),
        link(b'1', "m", "a"),
        link(b'2', "s", "nowhere"),
        link(b'1', "t", "s"),
    ]))
    .unwrap();
    for name in ["a", "m", "z"] {
        assert_eq!(reader.content(name), b"content");
        let node = reader.node(name);
        assert_eq!((node.links, node.file_id()), (3, reader.node("z").file_id()));
    }
    assert_eq!(reader.target("t"), b"nowhere");
}

#[test]
fn extended_headers_say_what_has_no_room_in_a_header() {
    let long = format!("{}/{}", "d".repeat(120), "f".repeat(120));
    let large = u32::MAX.to_string();
    let reader = open_tar(&tar(&[
        pax(b'g', &[("mtime", b"99.5"), ("comment", b"x")]),
        pax(
            b'x',
            &[
                ("path", long.as_bytes()),
                ("uid", large.as_bytes()),
                ("mtime", b"1500000000.25"),
                ("SCHILY.xattr.user.a", b"\0=\n"),
            ],
        ),
        file("short", b"x"),
        file("next", b"y"),
        Member { content: b"long name\0".to_vec(), ..member(b'L', "././@LongLink") },
        Member { content: b"long target\0".to_vec(), ..member(b'K', "././@LongLink") },
        link(b'2', "cut", "cut"),
    ]))
    .unwrap();
    let node = reader.node(&long);
    assert_eq!((node.uid, node.gid, node.modified_at_secs), (u32::MAX, 1001, 1_500_000_000));
    assert_eq!(reader.node("next").modified_at_secs, 99);
    assert_eq!(reader.target("long name"), b"long target");
}

#[test]
fn devices_and_pipes_are_shown_as_what_they_are() {
    let reader =
        open_tar(&tar(&[member(b'6', "pipe"), member(b'3', "char"), member(b'4', "block")]));
    let reader = reader.unwrap();
    assert_eq!(reader.node("pipe").kind, NodeKind::Fifo);
    assert!(matches!(reader.node("char").kind, NodeKind::CharDevice { .. }));
    assert!(matches!(reader.node("block").kind, NodeKind::BlockDevice { .. }));
}

#[test]
fn a_walk_goes_on_where_it_stopped_and_passes_over_directories() {
    let reader =
        open_tar(&tar(&[file("a/b/c", b""), file("a.x", b""), file("d/e", b""), file("f", b"")]));
    let reader = reader.unwrap();
    let all = reader.paths();
    let rest = |after: &str, skip: bool| -> Vec<String> {
        let mut walk = reader.tree.walk_after(reader.tree.root(), after.as_bytes());
        if skip {
            walk.skip();
        }
        let found = std::iter::from_fn(|| walk.next_found());
        found.map(|(path, _)| String::from_utf8(path).unwrap()).collect()
    };
    for (at, path) in all.iter().enumerate() {
        assert_eq!(rest(path, false), all[at + 1..], "after {path}");
    }
    assert_eq!(rest("a", true), ["a.x", "d", "d/e", "f"]);
    assert_eq!(rest("a/b/none", false), ["a.x", "d", "d/e", "f"]);
    assert_eq!(rest("b", true), ["d", "d/e", "f"]);
    let below = reader.node("a");
    let mut walk = reader.tree.walk(&below);
    assert_eq!(walk.next_found().unwrap().0, b"b");
    walk.skip();
    assert!(walk.next_found().is_none());
}

/// A tree: the paths of files with their contents, and the order in which the archive has them.
fn trees() -> impl Strategy<Value = (BTreeMap<String, Vec<u8>>, Vec<String>)> {
    let name = prop::sample::select(vec!["a", "b", "a.b", "a-", "é", "B", "~"]);
    let path = prop::collection::vec(name, 1..4).prop_map(|names| names.join("/"));
    let content = prop::collection::vec(any::<u8>(), 0..2_000);
    prop::collection::btree_map(path, content, 0..12).prop_flat_map(|files| {
        // A path below a file is none.
        let is_file = |path: &str| files.contains_key(path);
        let kept: BTreeMap<String, Vec<u8>> = files
            .iter()
            .filter(|(path, _)| !path.match_indices('/').any(|(end, _)| is_file(&path[..end])))
            .map(|(path, content)| (path.clone(), content.clone()))
            .collect();
        let order: Vec<String> = kept.keys().cloned().collect();
        (Just(kept), Just(order).prop_shuffle())
    })
}

proptest! {
    #[test]
    fn any_tree_in_any_order_is_read_back((files, order) in trees(), reads in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let members: Vec<Member> = order.iter().map(|path| file(path, &files[path])).collect();
        let reader: Reader = open_tar(&tar(&members)).unwrap();
        let found = reader.paths();
        let mut sorted = found.clone();
        sorted.sort_by_key(|path| path.split('/').map(str::to_owned).collect::<Vec<_>>());
        prop_assert_eq!(&found, &sorted);
        for (path, content) in &files {
            prop_assert_eq!(&reader.content(path), content);
        }
        for read in reads {
            let Some(path) = (!order.is_empty()).then(|| read.get(&order)) else { break };
            let content = &files[path];
            let from = content.len() / 3;
            prop_assert_eq!(reader.read(path, from as u64, 50).unwrap(), &content[from..content.len().min(from + 50)]);
        }
    }

    #[test]
    fn an_archive_that_was_tampered_with_is_read_within_bounds(
        (files, order) in trees(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes: Vec<u8> = order.iter().flat_map(|path| bytes_of(&file(path, &files[path]))).collect();
        bytes.extend([0; 1024]);
        let mut packed = crate::compressed(&bytes);
        for (at, byte) in &changes {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        crate::look::look(&crate::look::stored(&bytes));
        for (at, byte) in &changes {
            let at = at.index(packed.len());
            packed[at] ^= *byte;
        }
        packed.truncate(cut.index(packed.len() + 1));
        crate::look::look(&packed);
    }

    #[test]
    fn any_bytes_are_read_within_bounds(bytes in prop::collection::vec(any::<u8>(), 0..3_000)) {
        crate::look::look_both(&bytes);
    }
}
