//! `git apply` makes of one random tree another, and the first again.

use crate::git::{Git, seeds, shown};
use crate::texts::Texts;
use snapshotter::domain::diff::patch::{File, FileChange, FileMode, Patch, PatchOptions, Written};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

const OPTIONS: PatchOptions =
    PatchOptions { context: 3, max_bytes: usize::MAX, binary_max_bytes: 100_000 };

/// Files and symlinks by their path, with mode and content.
type Tree = BTreeMap<Vec<u8>, (FileMode, Vec<u8>)>;

fn path_in(dir: &Path, path: &[u8]) -> std::path::PathBuf {
    dir.join(OsStr::from_bytes(path))
}

fn write(dir: &Path, tree: &Tree) {
    let _ = fs::remove_dir_all(dir);
    fs::create_dir_all(dir).unwrap();
    for (path, (mode, content)) in tree {
        let path = path_in(dir, path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if *mode == FileMode::Symlink {
            symlink(OsStr::from_bytes(content), path).unwrap();
            continue;
        }
        fs::write(&path, content).unwrap();
        let permissions = if *mode == FileMode::Executable { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(permissions)).unwrap();
    }
}

fn read(dir: &Path, prefix: &[u8], tree: &mut Tree) {
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let path = [prefix, entry.file_name().as_bytes()].concat();
        let meta = entry.metadata().unwrap();
        if meta.is_dir() {
            read(&entry.path(), &[&path, b"/".as_slice()].concat(), tree);
        } else if meta.is_symlink() {
            let target = fs::read_link(entry.path()).unwrap();
            tree.insert(path, (FileMode::Symlink, target.as_os_str().as_bytes().to_vec()));
        } else {
            let mode = FileMode::of_file(meta.permissions().mode());
            tree.insert(path, (mode, fs::read(entry.path()).unwrap()));
        }
    }
}

/// A name, often an odd one.
fn name(texts: &mut Texts) -> Vec<u8> {
    let odd: [&[u8]; 14] = [
        b"a b",
        b"\"",
        b"\\",
        b"\n",
        b"\t",
        b"\x01\x7f",
        b"\xff\xfe",
        "ü".as_bytes(),
        b" ",
        b"a/b",
        b"b/ a",
        b"-",
        b"\x07\x08\x0b\x0c\r",
        b".gitignore",
    ];
    let mut name = Vec::new();
    for _ in 0..=texts.dice.below(3) {
        if texts.dice.one_in(2) {
            name.extend(texts.dice.pick(&odd));
        } else {
            name.extend(format!("f{}", texts.dice.below(6)).bytes());
        }
    }
    if texts.dice.one_in(4) { [b"dir/".as_slice(), &name].concat() } else { name }
}

/// Whether the tree has no file where the path needs a directory, nor the other way.
fn fits(tree: &Tree, path: &[u8]) -> bool {
    let under = |a: &[u8], b: &[u8]| a.strip_prefix(b).is_some_and(|rest| rest.starts_with(b"/"));
    tree.keys().all(|known| known != path && !under(known, path) && !under(path, known))
}

fn content(texts: &mut Texts) -> Vec<u8> {
    match texts.dice.below(6) {
        0 => Vec::new(),
        1 => {
            let len = texts.dice.pick(&[1, 3, 52, 53, 500, 9_000]);
            let mut bytes: Vec<u8> = (0..len).map(|_| texts.dice.pick(&[0, 1, 7, 255])).collect();
            bytes[0] = 0;
            bytes
        }
        _ => {
            let lines = texts.base();
            texts.bytes(&lines)
        }
    }
}

fn file(texts: &mut Texts) -> (FileMode, Vec<u8>) {
    match texts.dice.below(6) {
        0 => (FileMode::Symlink, [b"../to ".as_slice(), &name(texts)].concat()),
        1 => (FileMode::Executable, content(texts)),
        _ => (FileMode::Regular, content(texts)),
    }
}

fn add(texts: &mut Texts, tree: &mut Tree, file: (FileMode, Vec<u8>)) -> Option<Vec<u8>> {
    let path = name(texts);
    fits(tree, &path).then(|| tree.insert(path.clone(), file))?;
    Some(path)
}

/// A tree, another made of it, and which paths of the first were renamed.
fn trees(texts: &mut Texts) -> (Tree, Tree, BTreeMap<Vec<u8>, Vec<u8>>) {
    let mut old = Tree::new();
    for _ in 0..texts.dice.below(8) {
        let file = file(texts);
        add(texts, &mut old, file);
    }
    let (mut new, mut renamed) = (old.clone(), BTreeMap::new());
    for (path, (mode, content)) in &old {
        match texts.dice.below(8) {
            0 => drop(new.remove(path)),
            1 => drop(new.insert(path.clone(), file(texts))),
            2 => {
                let mode = match mode {
                    FileMode::Symlink => FileMode::Symlink,
                    _ => texts.dice.pick(&[FileMode::Regular, FileMode::Executable]),
                };
                new.remove(path);
                if let Some(to) = add(texts, &mut new, (mode, content.clone())) {
                    renamed.insert(path.clone(), to);
                }
            }
            3..6 if *mode != FileMode::Symlink => {
                let lines: Vec<Vec<u8>> =
                    content.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
                let near = texts.dice.below(lines.len() + 1);
                let lines = texts.edited(&lines, near);
                let mode = texts.dice.pick(&[*mode, *mode, FileMode::Executable]);
                let edited = texts.bytes(&lines);
                new.insert(path.clone(), (mode, edited));
            }
            _ => {}
        }
    }
    for _ in 0..texts.dice.below(4) {
        let file = file(texts);
        add(texts, &mut new, file);
    }
    // A path that was taken again is no rename's source.
    renamed.retain(|from, _| !new.contains_key(from));
    (old, new, renamed)
}

fn at<'a>(tree: &'a Tree, path: &[u8]) -> Option<File<'a>> {
    let (path, (mode, content)) = tree.get_key_value(path)?;
    Some(File { path, mode: *mode, content: Some(content) })
}

/// All changes between the trees, in the order of their paths.
fn changes<'a>(
    old: &'a Tree,
    new: &'a Tree,
    renamed: &BTreeMap<Vec<u8>, Vec<u8>>,
) -> Vec<FileChange<'a>> {
    let targets: Vec<&Vec<u8>> = renamed.values().collect();
    let mut paths: Vec<&Vec<u8>> = old.keys().chain(new.keys()).collect();
    paths.sort();
    paths.dedup();
    let change = |path: &Vec<u8>| match (at(old, path), at(new, path)) {
        _ if targets.contains(&path) => None,
        (Some(old), Some(new)) => Some(FileChange::Changed(old, new)),
        (Some(old), None) => match renamed.get(path) {
            Some(to) => Some(FileChange::Changed(old, at(new, to).unwrap())),
            None => Some(FileChange::Deleted(old)),
        },
        (None, new) => new.map(FileChange::Added),
    };
    paths.into_iter().filter_map(change).collect()
}

fn apply(git: &Git, dir: &Path, patch: &[u8], options: &[&str]) -> Result<Tree, String> {
    let args = [&["apply", "--whitespace=nowarn", "--allow-empty"], options].concat();
    let output = git.output_in(dir, &args, patch);
    if !output.status.success() {
        return Err(shown(&output.stderr));
    }
    let mut tree = Tree::new();
    read(dir, b"", &mut tree);
    Ok(tree)
}

#[test]
fn git_applies_random_patches_and_reverses_them() {
    let git = Git::new("apply");
    let dir = git.path().join("tree");
    let mut kinds = BTreeMap::new();
    for seed in seeds(1_000) {
        let mut texts = Texts::new(seed);
        let (old, new, renamed) = trees(&mut texts);
        let context = texts.dice.pick(&[1, 3, 3, 100]);
        let mut patch = Patch::new(PatchOptions { context, ..OPTIONS });
        for change in changes(&old, &new, &renamed) {
            assert_eq!(patch.add(change), Written::Whole, "DIFF_SEED={seed}");
        }
        let patch = patch.into_bytes();
        for line in patch.split(|byte| *byte == b'\n') {
            let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').take(2).collect();
            *kinds.entry(words.join(&b' ')).or_insert(0) += 1;
        }
        write(&dir, &old);
        for (options, expected) in [(&[][..], &new), (&["--reverse"], &old)] {
            let made = apply(&git, &dir, &patch, options);
            assert!(
                made.as_ref() == Ok(expected),
                "DIFF_SEED={seed} DIFF_CASES=1 {options:?}\n{}\n{made:?}\nof {old:?}\nto {new:?}",
                shown(&patch)
            );
        }
    }
    let kinds = |kind: &str| kinds.get(kind.as_bytes()).copied().unwrap_or(0);
    for kind in [
        "new file",
        "deleted file",
        "old mode",
        "rename from",
        "GIT binary",
        "\\ No",
        "--- /dev/null",
        "+++ /dev/null",
    ] {
        assert!(kinds(kind) > 10 || seeds(1_000).count() < 1_000, "{kind}: {}", kinds(kind));
    }
}
