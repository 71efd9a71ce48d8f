use super::*;
use crate::domain::tree::Difference;
use crate::domain::tree::changes::{Hashes, changes};

fn file(content: u64) -> Option<TreeEntry> {
    let kind = TreeKind::File { size_bytes: content, modified_at_secs: Some(1) };
    Some(TreeEntry { kind, mode: 0o644, uid: 0, gid: 0 })
}

fn with_mode(mode: u32, entry: Option<TreeEntry>) -> Option<TreeEntry> {
    entry.map(|entry| TreeEntry { mode, ..entry })
}

fn dir() -> Option<TreeEntry> {
    Some(TreeEntry { kind: TreeKind::Directory, mode: 0o755, uid: 0, gid: 0 })
}

fn link(target: &str) -> Option<TreeEntry> {
    let kind = TreeKind::Symlink { target: target.as_bytes().to_vec() };
    Some(TreeEntry { kind, mode: 0o777, uid: 0, gid: 0 })
}

type Entry = Option<TreeEntry>;

/// Each entry is path, base, ours, theirs. Contents differ if their sizes do.
fn merged(paths: &[(&str, Entry, Entry, Entry)]) -> TreeMerge {
    let side = |of: fn(&(&str, Entry, Entry, Entry)) -> Entry| -> Changes {
        let differences: Vec<Difference> = paths
            .iter()
            .map(|path| Difference {
                path: path.0.as_bytes().to_vec(),
                old: path.1.clone(),
                new: of(path),
            })
            .filter(|difference| difference.old != difference.new)
            .collect();
        let none = Hashes::new();
        changes(differences, &none, &none)
            .into_iter()
            .map(|change| (change.path.clone(), change))
            .collect()
    };
    let (ours, theirs) = (side(|path| path.2.clone()), side(|path| path.3.clone()));
    let mut ignored = Ignored::default();
    ignored.add(b"", b"*.log\n");
    merge(&ours, &theirs, &ignored, |path| {
        let size = |changes: &Changes| changes[path].new.as_ref().and_then(TreeEntry::file_bytes);
        size(&ours) == size(&theirs)
    })
}

fn names<'a>(paths: impl IntoIterator<Item = &'a Vec<u8>>) -> Vec<String> {
    paths.into_iter().map(|path| String::from_utf8(path.clone()).unwrap()).collect()
}

#[test]
fn what_only_they_changed_is_taken() {
    let merge = merged(&[
        ("added", None, None, file(1)),
        ("changed", file(1), file(1), file(2)),
        ("dir", None, None, dir()),
        ("link", link("a"), link("a"), link("b")),
        ("mode", file(1), file(1), with_mode(0o755, file(1))),
        ("ours", file(1), file(2), file(1)),
        ("removed", file(1), file(1), None),
        ("type", file(1), file(1), link("a")),
    ]);
    assert_eq!(names(merge.take.keys()), ["added", "changed", "dir", "link", "type"]);
    assert_eq!(names(&merge.remove), ["removed", "type"]);
    assert_eq!(names(merge.access.keys()), ["mode"]);
    assert!(merge.conflicts.is_empty() && merge.texts.is_empty());
}

#[test]
fn what_both_changed_is_combined_or_a_conflict() {
    let executable = |content| with_mode(0o755, file(content));
    let merge = merged(&[
        ("a-same", file(1), file(2), file(2)),
        ("b-text", file(1), file(2), file(3)),
        ("c-added", None, file(2), file(3)),
        ("d-mode-and-content", file(1), executable(1), file(3)),
        ("e-content-and-mode", file(1), file(3), executable(1)),
        ("f-removed", file(1), None, file(3)),
        ("g-removed", file(1), file(3), None),
        ("h-gone", file(1), None, None),
        ("i-link", link("a"), link("b"), link("c")),
        ("j-type", file(1), link("b"), file(2)),
        ("k-mode", file(1), executable(1), with_mode(0o600, file(1))),
        ("l-same-mode", file(1), executable(1), executable(1)),
        ("m-dir", dir(), with_mode(0o700, dir()), None),
    ]);
    assert_eq!(names(merge.texts.keys()), ["b-text", "c-added"]);
    assert_eq!(names(merge.take.keys()), ["d-mode-and-content"]);
    assert_eq!(merge.take[&b"d-mode-and-content"[..]], executable(3).unwrap());
    assert_eq!(merge.access[&b"e-content-and-mode"[..]].mode, 0o755);
    let conflicts: Vec<(String, Conflict)> =
        names(merge.conflicts.keys()).into_iter().zip(merge.conflicts.values().copied()).collect();
    assert_eq!(
        conflicts,
        [
            ("f-removed", Conflict::RemovedByUs),
            ("g-removed", Conflict::RemovedByThem),
            ("i-link", Conflict::Link),
            ("j-type", Conflict::Type),
            ("k-mode", Conflict::Mode),
        ]
        .map(|(path, conflict)| (path.to_owned(), conflict))
    );
    assert!(merge.remove.is_empty());
}

#[test]
fn directories_give_way_only_where_nothing_is_lost() {
    // We removed a directory to which they added a file: it comes back.
    let back = merged(&[
        ("d", dir(), None, dir()),
        ("d/new", None, None, file(1)),
        ("d/old", file(1), None, file(1)),
    ]);
    assert_eq!(names(back.take.keys()), ["d", "d/new"]);
    assert!(back.conflicts.is_empty());
    // They removed a directory to which we added a file: it stays for that file.
    let stays = merged(&[
        ("d", dir(), dir(), None),
        ("d/new", None, file(1), None),
        ("d/old", file(1), file(1), None),
    ]);
    assert_eq!(names(&stays.remove), ["d", "d/old"]);
    assert!(stays.conflicts.is_empty());
    // They replaced the directory by a file, or we did.
    let theirs = merged(&[
        ("d", dir(), dir(), file(1)),
        ("d/new", None, file(1), None),
        ("d.txt", None, file(1), None),
    ]);
    assert_eq!(names(theirs.conflicts.keys()), ["d"]);
    assert!(theirs.take.is_empty() && theirs.remove.is_empty());
    let ours = merged(&[("d", dir(), file(1), dir()), ("d/new", None, None, file(1))]);
    assert_eq!(names(ours.conflicts.keys()), ["d/new"]);
}

#[test]
fn repositories_and_ignored_files_stop_nothing() {
    let merge = merged(&[
        (".git/index", file(1), file(2), file(3)),
        (".git/objects/a", None, None, file(3)),
        ("debug.log", file(1), file(2), file(3)),
        ("gone.log", file(1), None, file(3)),
        ("sub/.git/index", file(1), file(1), file(3)),
    ]);
    assert_eq!(names(&merge.kept), [".git", "debug.log", "gone.log"]);
    assert_eq!(names(merge.take.keys()), ["sub/.git/index"]);
    assert!(merge.conflicts.is_empty() && merge.texts.is_empty());
}

#[test]
fn what_they_replaced_by_a_pipe_stays() {
    let pipe = || Some(TreeEntry { kind: TreeKind::Other(b'p'), mode: 0o644, uid: 0, gid: 0 });
    let merge = merged(&[
        ("file", file(1), file(1), pipe()),
        ("both", file(1), file(2), pipe()),
        ("new", None, None, pipe()),
    ]);
    assert_eq!(names(&merge.kept), ["both", "file", "new"]);
    assert!(merge.is_empty(), "{merge:?}");
}
