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

/// Writes a tree into an empty directory.
fn write(dir: &Path, tree: &Tree) {
    let _ = fs::remove_dir_all(dir);
    fs::create_dir_all(dir).unwrap();
    add_files(dir, tree);
}

fn add_files(dir: &Path, tree: &Tree) {
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

fn contents(tree: &Tree) -> Vec<(&Vec<u8>, &Vec<u8>)> {
    tree.iter().map(|(path, (_, content))| (path, content)).collect()
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
        let made = apply(&git, &dir, &patch, &[]);
        let case = || {
            let patch = shown(&patch);
            format!("DIFF_SEED={seed} DIFF_CASES=1\n{patch}\nof {old:?}\nto {new:?}")
        };
        assert!(made.as_ref() == Ok(&new), "{made:?}\n{}", case());
        // Git itself can't take back that a file became a symlink, nor give back the
        // modes of deleted files.
        let symlink = |tree: &Tree, path| tree.get(path).map(|file| file.0 == FileMode::Symlink);
        let mut both = old.keys().filter(|path| new.contains_key(*path));
        if both.all(|path| symlink(&old, path) == symlink(&new, path)) {
            let made = apply(&git, &dir, &patch, &["--reverse"]);
            assert!(made.as_ref().map(contents) == Ok(contents(&old)), "{made:?}\n{}", case());
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

fn regular<'a>(path: &'a [u8], content: &'a [u8]) -> File<'a> {
    File { path, mode: FileMode::Regular, content: Some(content) }
}

#[test]
fn a_patch_is_in_the_format_of_git() {
    let moved = File { mode: FileMode::Executable, ..regular(b"new name", b"text\n") };
    let git = Git::new("format");
    let dir = git.path().join("tree");
    let changes = [
        FileChange::Added(regular(b"a b\n", b"one\r\ntwo")),
        FileChange::Added(regular(b"c d", b"")),
        FileChange::Changed(regular(b"edited", b"1\n"), regular(b"edited", b"2\n")),
        FileChange::Changed(regular(b"old", b"text\n"), moved),
        FileChange::Changed(regular(b"same", b"same"), regular(b"same", b"same")),
        FileChange::Deleted(File { mode: FileMode::Symlink, ..regular(b"to", b"target") }),
        FileChange::Deleted(regular("\u{fc}\"\\".as_bytes(), b"two words\n")),
    ];
    let mut patch = Patch::new(OPTIONS);
    let [mut old, mut new] = [Tree::new(), Tree::new()];
    let put = |tree: &mut Tree, file: File<'_>| {
        tree.insert(file.path.to_vec(), (file.mode, file.content.unwrap().to_vec()))
    };
    for change in changes {
        assert_eq!(patch.add(change), Written::Whole);
        match change {
            FileChange::Added(file) => drop(put(&mut new, file)),
            FileChange::Deleted(file) => drop(put(&mut old, file)),
            FileChange::Changed(from, to) => {
                put(&mut old, from);
                put(&mut new, to);
            }
        }
    }
    git.run(&["init", "-q", "tree"], b"");
    let run = |args: &[&str]| {
        let output = git.output_in(&dir, args, b"");
        assert!(output.status.success(), "git {args:?}: {}", shown(&output.stderr));
        output.stdout
    };
    for tree in [&old, &new] {
        for entry in fs::read_dir(&dir).unwrap().map(Result::unwrap) {
            if entry.file_name() != ".git" {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        add_files(&dir, tree);
        run(&["add", "--all"]);
        if tree == &old {
            run(&["-c", "user.name=a", "-c", "user.email=a", "commit", "-q", "-m", "old"]);
        }
    }
    // Renames count only if nothing else changed, as ours do.
    let printed = run(&["diff", "--cached", "--full-index", "--find-renames=100%"]);
    let patch = patch.into_bytes();
    assert!(patch == printed, "{}\n-- git:\n{}", shown(&patch), shown(&printed));
}

#[test]
fn what_git_would_refuse_is_left_out() {
    let git = Git::new("refused");
    let refused: [&[u8]; 16] = [
        b".git",
        b".git/hooks/x",
        b"a/.GIT/config",
        b"../x",
        b"a/../x",
        b"./x",
        b"/x",
        b"x/",
        b"x//y",
        b"git~1",
        b".git. .",
        b".git::$DATA",
        b".git\\x",
        b"GIT~1/x",
        b"",
        b"x\0y",
    ];
    for path in refused {
        let mut patch = Patch::new(OPTIONS);
        assert_eq!(patch.add(FileChange::Added(regular(path, b"x\n"))), Written::Refused);
        let moved = FileChange::Changed(regular(b"ok", b"x\n"), regular(path, b"x\n"));
        assert_eq!(patch.add(moved), Written::Refused);
        let edited = FileChange::Changed(regular(b"ok", b"x\n"), regular(path, b"y\n"));
        assert_eq!(patch.add(edited), Written::Refused);
        assert_eq!(shown(&patch.into_bytes()), "", "{}", shown(path));
    }
    let symlink = File { mode: FileMode::Symlink, ..regular(b".gitmodules", b"x") };
    assert_eq!(Patch::new(OPTIONS).add(FileChange::Added(symlink)), Written::Refused);
    let near: [&[u8]; 8] =
        [b".gitignore", b".github/x", b"a.git", b".gi", b"git", b"git~10", b"..x", b".gitmodules"];
    for path in near {
        let dir = git.path().join("tree");
        write(&dir, &Tree::new());
        let mut patch = Patch::new(OPTIONS);
        assert_eq!(patch.add(FileChange::Added(regular(path, b"x\n"))), Written::Whole);
        let made = apply(&git, &dir, &patch.into_bytes(), &[]);
        assert_eq!(made.map(|tree| tree.len()), Ok(1), "{}", shown(path));
    }
}

#[test]
fn what_does_not_fit_is_left_out_whole() {
    let small = FileChange::Added(regular(b"small", b"text\n"));
    let len = |change| {
        let mut patch = Patch::new(OPTIONS);
        patch.add(change);
        patch.into_bytes().len()
    };
    // One that becomes a symlink has two entries.
    let link = File { mode: FileMode::Symlink, ..regular(b"file", b"to") };
    let change = FileChange::Changed(regular(b"file", b"text\n"), link);
    for max_bytes in 0..=len(small) + len(change) {
        let mut patch = Patch::new(PatchOptions { max_bytes, ..OPTIONS });
        let fits = |end| if max_bytes < end { Written::NoRoom } else { Written::Whole };
        assert_eq!(patch.add(small), fits(len(small)));
        if max_bytes >= len(small) {
            assert_eq!(patch.add(change), fits(len(small) + len(change)));
        }
        assert!(patch.into_bytes().len() <= max_bytes);
    }
}

#[test]
fn git_refuses_a_patch_without_the_content_of_a_large_file() {
    let git = Git::new("large");
    let dir = git.path().join("tree");
    let unread = File { content: None, ..regular(b"file", b"") };
    let old = regular(b"file", b"\0\0\0\0");
    let added = FileChange::Added(regular(b"new", b"\0\0\0\0\0"));
    let moved = FileChange::Changed(unread, File { path: b"to", ..unread });
    let changes =
        [FileChange::Changed(old, unread), FileChange::Changed(unread, unread), added, moved];
    for change in changes {
        let mut patch = Patch::new(PatchOptions { binary_max_bytes: 4, ..OPTIONS });
        assert_eq!(patch.add(change), Written::WithoutContent);
        let patch = patch.into_bytes();
        assert!(patch.ends_with(b" differ\n"), "{}", shown(&patch));
        let tree = [(b"file".to_vec(), (FileMode::Regular, vec![0; 4]))];
        write(&dir, &Tree::from(tree));
        let refused = apply(&git, &dir, &patch, &[]).expect_err(&shown(&patch));
        assert!(refused.contains("patch does not apply"), "{refused}");
    }
}
