//! Archives that GNU tar and Python's `tarfile` write.

use crate::{Reader, open_tar};
use snapshotter::squashfs::NodeKind;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A directory with odd names, links, modes and sizes.
fn fill(name: &str) -> PathBuf {
    let root = std::env::temp_dir().join(format!("tar-zst-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(root.join("a b/c")).unwrap();
    fs::create_dir(root.join("empty")).unwrap();
    fs::write(root.join("a b/c/é"), "one").unwrap();
    fs::write(root.join("a.b"), "after the directory a in bytes").unwrap();
    fs::write(root.join("new\nline"), "two").unwrap();
    fs::write(root.join("-n"), "").unwrap();
    let long = "d".repeat(150);
    let deep = root.join(&long).join("e".repeat(200)).join("f".repeat(100));
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("long"), "of a long path").unwrap();
    let large: Vec<u8> = (0..1_200_000_u32).map(|at| (at.wrapping_mul(at) >> 7) as u8).collect();
    fs::write(root.join("large"), large).unwrap();
    symlink("x".repeat(180), root.join("to nowhere")).unwrap();
    symlink("a b/c", root.join("to a directory")).unwrap();
    fs::hard_link(root.join("large"), root.join("same")).unwrap();
    fs::set_permissions(root.join("a.b"), fs::Permissions::from_mode(0o4751)).unwrap();
    fs::set_permissions(root.join("empty"), fs::Permissions::from_mode(0o1777)).unwrap();
    root
}

fn tar_by(program: &str, arguments: &[&str], root: &Path) -> Vec<u8> {
    let output = Command::new(program).args(arguments).current_dir(root).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Everything below a directory, in the order of a walk.
fn listed(dir: &Path, into: &mut Vec<PathBuf>) {
    let mut found: Vec<PathBuf> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort_by_key(|path| path.file_name().unwrap().as_encoded_bytes().to_vec());
    for path in found {
        into.push(path.clone());
        if path.is_dir() && !path.is_symlink() {
            listed(&path, into);
        }
    }
}

fn expect_same(reader: &Reader, root: &Path) {
    let mut expected = Vec::new();
    listed(root, &mut expected);
    let names = |path: &PathBuf| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
    assert_eq!(reader.paths(), expected.iter().map(names).collect::<Vec<_>>());
    for path in &expected {
        let (name, meta) = (names(path), path.symlink_metadata().unwrap());
        let node = reader.node(&name);
        assert_eq!(node.uid, meta.uid(), "{name}");
        assert_eq!(i64::from(node.modified_at_secs), meta.mtime(), "{name}");
        if meta.is_symlink() {
            let target = fs::read_link(path).unwrap();
            assert_eq!(reader.target(&name), target.as_os_str().as_encoded_bytes(), "{name}");
            continue;
        }
        // A restore drops setuid and setgid.
        assert_eq!(node.mode, meta.mode() & 0o1777, "{name}");
        match node.kind {
            NodeKind::Directory => assert!(meta.is_dir(), "{name}"),
            NodeKind::File { size_bytes } => {
                assert_eq!((size_bytes, u64::from(node.links)), (meta.size(), meta.nlink()));
                assert!(reader.content(&name) == fs::read(path).unwrap(), "{name}");
            }
            other => panic!("{name} is {other:?}"),
        }
    }
    assert_eq!(reader.node("same").file_id(), reader.node("large").file_id());
}

#[test]
fn archives_of_gnu_tar_are_read_in_all_its_formats_and_orders() {
    let root = fill("gnu");
    for format in ["posix", "gnu", "oldgnu"] {
        for order in ["name", "inode", "none"] {
            let (format, order) = (format!("--format={format}"), format!("--sort={order}"));
            let arguments = ["--create", "--file=-", &format, &order, "."];
            expect_same(&open_tar(&tar_by("tar", &arguments, &root)).unwrap(), &root);
        }
    }
    // As this product exports.
    let tar = tar_by(
        "sh",
        &[
            "-c",
            "find . '(' -type f -o -type d -o -type l ')' -print0 | LC_ALL=C sort -z | tar --create --file=- --format=posix \
             --pax-option=delete=atime,delete=ctime --numeric-owner --no-recursion --null --verbatim-files-from \
             --files-from=- --transform='flags=rh;s,^\\./,,'",
        ],
        &root,
    );
    expect_same(&open_tar(&tar).unwrap(), &root);
    fs::remove_dir_all(&root).unwrap();
}

#[test]
fn archives_of_python_are_read_in_all_its_formats() {
    let root = fill("python");
    for format in ["PAX_FORMAT", "GNU_FORMAT"] {
        let script = format!(
            "import sys, tarfile\n\
             with tarfile.open(fileobj=sys.stdout.buffer, mode='w|', format=tarfile.{format}, pax_headers={{'comment': 'of all'}}) as tar:\n\
             \x20   tar.add('.')\n"
        );
        expect_same(&open_tar(&tar_by("python3", &["-c", &script], &root)).unwrap(), &root);
    }
    fs::remove_dir_all(&root).unwrap();
}

#[test]
fn a_sparse_file_is_no_file_to_read_in_place() {
    let root = fill("sparse");
    fs::File::create(root.join("sparse")).unwrap().set_len(10 << 20).unwrap();
    for format in ["--format=gnu", "--format=posix"] {
        let tar = tar_by("tar", &["--create", "--sparse", "--file=-", format, "sparse"], &root);
        let error = crate::refusal(&tar);
        assert_eq!(error.code, snapshotter::domain::error::ErrorCode::Unsupported, "{error}");
        assert!(error.hint.unwrap().contains("importBackup"));
    }
    fs::remove_dir_all(&root).unwrap();
}
