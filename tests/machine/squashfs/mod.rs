//! The reader of archives and `unsquashfs` agree on archives of the real `mksquashfs`.
//!
//! `SQUASHFS_TREES` says how many random trees there are, `SQUASHFS_SEED` which is the
//! first. A failure prints the seed of its tree.

mod compare;
mod trees;

use crate::machine::TempDir;
use crate::support::ranges::MemoryRanges;
use crate::support::squashfs::{self, sample};
use compare::{Compared, Dice, Xattrs, compare, run};
use futures::executor::block_on;
use snapshotter::domain::error::ErrorCode;
use snapshotter::squashfs::{Cache, LayeredTree};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use trees::Trees;

const HOSTILE: &str = include_str!("../../e2e/hostile.py");
const BACKUPS: [&[u8]; 3] = [
    include_bytes!(
        "../../fixtures/sandbox-sdk-0.12.10/backups/7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db/data.sqsh"
    ),
    include_bytes!(
        "../../fixtures/sandbox-sdk-0.12.10/backups/960b9448-068e-48fd-9af0-738267c255b5/data.sqsh"
    ),
    include_bytes!(
        "../../fixtures/sandbox-sdk-0.12.10/backups/b0f8473b-7b88-4ae5-8546-974df37a7e74/data.sqsh"
    ),
];

fn mksquashfs(tree: &Path, archive: &Path, options: &[String]) {
    let fixed = ["-quiet", "-no-progress", "-exit-on-error"];
    run(Command::new("mksquashfs").args([tree, archive]).args(fixed).args(options));
}

/// Appends the tree once more, in a directory; `mksquashfs` 4.6.1 crashes at some trees.
fn append(tree: &Path, archive: &Path, options: &[String]) {
    let fixed = ["-quiet", "-no-progress", "-no-recovery", "-keep-as-directory"];
    let output = Command::new("mksquashfs").args([tree, archive]).args(fixed).output().unwrap();
    if !output.status.success() {
        fs::remove_file(archive).unwrap();
        mksquashfs(tree, archive, options);
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn compare_plainly(path: &Path) -> usize {
    let compared = Compared { path, added_xattrs: Xattrs::new() };
    compare(&compared, &mut Trees::new(), &mut Dice(0))
}

#[test]
fn a_hostile_tree_is_read_as_it_is_extracted() {
    let top = TempDir::new();
    let tree = top.path().join("tree");
    run(Command::new("python3").args(["-c", HOSTILE]).arg(&tree));
    for options in ["-comp lz4", "-comp zstd -b 4K", "-comp gzip -b 1M -tailends"] {
        let archive = top.path().join(options);
        mksquashfs(&tree, &archive, &words(options));
        assert!(compare_plainly(&archive) > 120);
    }
}

#[test]
fn backups_of_0_12_are_read_as_they_are_extracted() {
    let top = TempDir::new();
    for backup in BACKUPS {
        let path = top.path().join("archive");
        fs::write(&path, backup).unwrap();
        assert_eq!(compare_plainly(&path), 12);
    }
}

/// The archives that `tests/squashfs` writes are such that others can read them.
#[test]
fn archives_written_by_hand_are_archives() {
    let top = TempDir::new();
    let path = top.path().join("archive");
    fs::write(&path, sample()).unwrap();
    let security = (b"security.elsewhere".to_vec(), b"value".to_vec());
    let archive = open(&path);
    let file = block_on(archive.find(b"holes")).unwrap().unwrap();
    let xattrs = block_on(archive.xattrs(&file)).unwrap();
    assert!(xattrs.iter().any(|xattr| (xattr.name.clone(), xattr.value.clone()) == security));
    let out = top.path().join("extracted");
    let args = ["-quiet", "-no-progress", "-no-xattrs", "-strict-errors", "-dest"];
    run(Command::new("unsquashfs").args(args).arg(&out).arg(&path));
    let content = block_on(archive.read(&file, 0, 10_000)).unwrap();
    assert_eq!(fs::read(out.join("holes")).unwrap(), content);
    let printed = run(Command::new("unsquashfs").args(["-pf", "-"]).arg(&path));
    let expected: &[u8] = b"holes x security.elsewhere=value\n";
    assert!(printed.windows(expected.len()).any(|part| part == expected));
}

fn open(path: &Path) -> LayeredTree {
    let ranges = MemoryRanges::new(fs::read(path).unwrap());
    block_on(squashfs::open(ranges, Rc::new(Cache::new(4 << 20)), "archive")).unwrap()
}

#[test]
fn lzma_lzo_and_xz_are_read_or_not_supported() {
    let top = TempDir::new();
    let tree = top.path().join("tree");
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("file"), "content ".repeat(10_000)).unwrap();
    for (compressor, is_certain) in [("lzma", true), ("lzo", true), ("xz", false)] {
        let path = top.path().join(compressor);
        mksquashfs(&tree, &path, &words(&format!("-comp {compressor}")));
        let ranges = MemoryRanges::new(fs::read(&path).unwrap());
        match block_on(squashfs::open(ranges, Rc::new(Cache::new(4 << 20)), "archive")) {
            Ok(_) => {
                assert!(!is_certain, "{compressor}");
                assert_eq!(compare_plainly(&path), 2);
            }
            Err(error) => {
                assert_eq!(error.code, ErrorCode::Unsupported, "{error:?}");
                assert!(error.message.contains(compressor), "{error:?}");
            }
        }
    }
}

/// Options of `mksquashfs`, and what they add to every node.
fn options(dice: &mut Dice, block_size: u32) -> (Vec<String>, Xattrs) {
    let mut options = words(&format!("-b {block_size}"));
    let compressor = match dice.below(3) {
        0 => {
            let (level, window) = (1 + dice.below(9), 8 + dice.below(8));
            match dice.below(2) {
                0 => format!("-comp gzip -Xcompression-level {level} -Xwindow-size {window}"),
                _ => "-comp gzip -Xstrategy default,filtered,huffman_only,run_length_encoded,fixed"
                    .into(),
            }
        }
        1 => dice.of(&["-comp lz4", "-comp lz4 -Xhc"]).to_owned(),
        _ => format!("-comp zstd -Xcompression-level {}", dice.of(&[1, 3, 15, 19, 22])),
    };
    options.extend(words(&compressor));
    for option in [
        "-noI",
        "-noId",
        "-noD",
        "-noF",
        "-noX",
        "-nopad",
        "-all-root",
        "-no-duplicates",
        "-no-exports",
        "-no-sparse",
        "-no-hardlinks",
    ] {
        if dice.below(7) == 0 {
            options.push(option.to_owned());
        }
    }
    match dice.below(4) {
        0 => options.push("-no-fragments".to_owned()),
        1 => options.push("-always-use-fragments".to_owned()),
        _ => {}
    }
    let mut added = Xattrs::new();
    match dice.below(8) {
        0 => options.push("-no-xattrs".to_owned()),
        1 => {
            // In hexadecimal, a long value crashes mksquashfs 4.6.1.
            let value = "v".repeat(dice.of(&[1, 5, 300, 9_000]));
            options.extend(["-xattrs-add".to_owned(), format!("trusted.added={value}")]);
            added.insert(b"trusted.added".to_vec(), value.into_bytes());
        }
        2 => {
            options.extend(["-xattrs-add".to_owned(), "security.added=0xff00".to_owned()]);
            added.insert(b"security.added".to_vec(), vec![0xff, 0]);
        }
        _ => {}
    }
    (options, added)
}

fn number(variable: &str, default: u64) -> u64 {
    let text = std::env::var_os(variable);
    text.map_or(default, |text| text.into_string().unwrap().parse().unwrap())
}

/// One random tree, archived with random options; how many nodes it has.
fn compare_random(seed: u64, top: &TempDir, trees: &mut Trees) -> usize {
    let mut dice = Dice(seed);
    let block_size = 4096 << dice.below(9);
    let (tree, path): (PathBuf, PathBuf) = (top.path().join("tree"), top.path().join("archive"));
    let _ = fs::remove_file(&path);
    trees.make(seed, block_size, &tree);
    let (options, added_xattrs) = options(&mut dice, block_size);
    let compared = Compared { path: &path, added_xattrs };
    let result = catch_unwind(AssertUnwindSafe(|| {
        mksquashfs(&tree, &path, &options);
        if dice.below(10) == 0 && compared.added_xattrs.is_empty() {
            append(&tree, &path, &options);
        }
        compare(&compared, trees, &mut dice)
    }));
    result.unwrap_or_else(|panic| {
        println!("SQUASHFS_SEED={seed} SQUASHFS_TREES=1: mksquashfs {}", options.join(" "));
        resume_unwind(panic)
    })
}

#[test]
fn random_trees_are_read_as_they_are_extracted() {
    let (first, count) = (number("SQUASHFS_SEED", 1), number("SQUASHFS_TREES", 30));
    let (top, mut trees) = (TempDir::new(), Trees::new());
    let mut nodes = 0;
    for seed in first..first + count {
        nodes += compare_random(seed, &top, &mut trees);
    }
    println!("{count} trees from seed {first} on, {nodes} nodes");
}

#[test]
fn the_tree_of_25_000_files_takes_two_reads() {
    let top = TempDir::new();
    let tree = top.path().join("tree");
    for directory in 0..250 {
        let directory_path = tree.join(format!("package-{directory}/src"));
        fs::create_dir_all(&directory_path).unwrap();
        for file in 0..100 {
            let content = format!("{directory} {file} ").repeat(file % 40);
            fs::write(directory_path.join(format!("module-{file}.js")), content).unwrap();
        }
    }
    for options in ["-comp lz4", "-comp zstd", "-comp gzip"] {
        let path = top.path().join(options);
        mksquashfs(&tree, &path, &words(options));
        let bytes = fs::read(&path).unwrap();
        let open = || {
            let ranges = MemoryRanges::new(bytes.clone());
            let cache = Rc::new(Cache::new(4 << 20));
            (block_on(squashfs::open(ranges.clone(), cache, "archive")).unwrap(), ranges)
        };
        let (archive, ranges) = open();
        let count = block_on(async {
            let root = archive.root();
            let mut walk = archive.walk(root);
            let mut count = 0;
            while walk.next().await.unwrap().is_some() {
                count += 1;
            }
            count
        });
        let reads = ranges.take_reads();
        println!("{options}: {count} entries, {} reads", reads.len());
        assert_eq!(count, 25_500);
        assert!(reads.len() <= 2, "{options}: {reads:?}");
        let (archive, ranges) = open();
        let file = block_on(archive.find(b"package-123/src/module-79.js")).unwrap().unwrap();
        let content = block_on(archive.read(&file, 0, 100_000)).unwrap();
        assert_eq!(content, "123 79 ".repeat(39).as_bytes());
        let reads = ranges.take_reads();
        assert!(reads.len() < 10, "{options}: {reads:?}");
    }
}
