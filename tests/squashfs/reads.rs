//! How often and how much the bucket is read.

use crate::support::ranges::MemoryRanges;
use crate::support::squashfs::{Image, Inode, open, sample};
use crate::{CACHE_BYTES, Reader, code};
use futures::executor::block_on;
use snapshotter::domain::error::ErrorCode;
use snapshotter::squashfs::Cache;
use std::rc::Rc;

/// Directories of 100 small files, with 2 MiB of another file before them.
fn tree(directories: usize) -> Vec<u8> {
    let mut image = Image::new(131_072);
    let big = image.file(&vec![1; 2 << 20]);
    let names: Vec<String> = (0..100).map(|at| format!("file{at:02}")).collect();
    let mut inner = vec![("big".to_owned(), big)];
    for directory in 0..directories {
        let files: Vec<Inode> =
            (0..100).map(|at| image.file(format!("{directory} {at}").as_bytes())).collect();
        let entries: Vec<(&[u8], Inode)> =
            names.iter().zip(&files).map(|(name, file)| (name.as_bytes(), *file)).collect();
        inner.push((format!("dir{directory:04}"), image.directory(&entries)));
    }
    let entries: Vec<(&[u8], Inode)> =
        inner.iter().map(|(name, inode)| (name.as_bytes(), *inode)).collect();
    let root = image.directory(&entries);
    image.bytes(root)
}

#[test]
fn two_reads_give_the_tree_of_25_000_files() {
    let reader = Reader::open(tree(250)).unwrap();
    assert_eq!(reader.walk(100_000).unwrap().len(), 25_251);
    let reads = reader.ranges.take_reads();
    assert!(reads.len() <= 2, "{reads:?}");
    let file = reader.node("dir0123/file45");
    assert_eq!(reader.read(&file, 0, 100).unwrap(), b"123 45");
    let reads = reader.ranges.take_reads();
    assert!(reads.len() <= 1, "the rest is cached: {reads:?}");
}

#[test]
fn the_content_before_the_metadata_is_not_read_with_it() {
    let reader = Reader::open(tree(1)).unwrap();
    assert_eq!(reader.walk(1_000).unwrap().len(), 102);
    let reads = reader.ranges.take_reads();
    let bytes: u64 = reads.iter().map(|(_, len)| len).sum();
    assert!(reads.len() == 2 && bytes < 16 * 1024, "{reads:?}");
}

#[test]
fn one_file_of_100_000_takes_a_few_reads() {
    let bytes = tree(1_000);
    let size = bytes.len() as u64;
    let reader = Reader::open(bytes).unwrap();
    let file = reader.node("dir0777/file88");
    assert_eq!(reader.read(&file, 0, 100).unwrap(), b"777 88");
    let reads = reader.ranges.take_reads();
    assert!(reads.len() < 10, "{reads:?}");
    assert!(reads.iter().all(|(_, len)| *len <= 4 << 20), "{reads:?}");
    assert_eq!(reader.walk(200_000).unwrap().len(), 101_001);
    let reads = reader.ranges.take_reads();
    let bytes: u64 = reads.iter().map(|(_, len)| len).sum();
    assert!(
        reads.len() < 30 && bytes < 3 * size,
        "{bytes} of {size} bytes by {} reads",
        reads.len()
    );
    assert!(reader.ranges.most_at_once() <= 6);
}

#[test]
fn ranges_that_meet_are_joined() {
    let reader = Reader::open(tree(1)).unwrap();
    let big = reader.node("big");
    reader.ranges.take_reads();
    assert_eq!(reader.read(&big, 0, 3 << 20).unwrap(), vec![1; 2 << 20]);
    let reads = reader.ranges.take_reads();
    assert!(reads.len() <= 4, "16 blocks by {} reads", reads.len());
    let bytes: u64 = reads.iter().map(|(_, len)| len).sum();
    assert!(bytes <= 3 << 20, "{bytes} bytes for 2 MiB");
}

#[test]
fn files_read_at_once_share_a_read_of_where_they_lie() {
    let reader = Reader::open(tree(250)).unwrap();
    let files =
        ["dir0007/file01", "dir0007/file02", "dir0007/file03"].map(|path| reader.node(path));
    reader.ranges.take_reads();
    let reading = files.iter().map(|file| reader.archive.read(file, 0, 100));
    let contents = block_on(futures::future::try_join_all(reading)).unwrap();
    assert_eq!(contents, ["7 1", "7 2", "7 3"].map(str::as_bytes));
    let reads = reader.ranges.take_reads();
    assert_eq!(reads.len(), 1, "{reads:?}");
}

#[test]
fn a_read_that_fails_fails_the_call_and_nothing_after_it() {
    let whole = sample();
    let look = |reader: &Reader| -> snapshotter::domain::error::Result<Vec<u8>> {
        reader.walk(100)?;
        let file = reader.find("inner/again")?.unwrap();
        block_on(reader.archive.xattrs(&file))?;
        reader.read(&file, 0, 10_000)
    };
    let reader = Reader::open(whole.clone()).unwrap();
    let expected = look(&reader).unwrap();
    let needed = reader.ranges.take_reads().len();
    for fails_after in 0..needed {
        let ranges = MemoryRanges::new(whole.clone());
        ranges.fail_after(Some(fails_after));
        let cache = Rc::new(Cache::new(CACHE_BYTES));
        let opening = || block_on(open(ranges.clone(), cache.clone(), "archive"));
        let opened = opening().map(|archive| Reader { archive, ranges: ranges.clone() });
        let looked = opened.and_then(|reader| look(&reader));
        assert_eq!(code(looked), ErrorCode::Unavailable, "after {fails_after}");
        ranges.fail_after(None);
        let reader = Reader { archive: opening().unwrap(), ranges: ranges.clone() };
        assert_eq!(look(&reader).unwrap(), expected, "after {fails_after}");
    }
}

#[test]
fn archives_share_a_cache_and_nothing_in_it() {
    let cache = Rc::new(Cache::new(CACHE_BYTES));
    let archives: Vec<Reader> = [1, 2, 3]
        .into_iter()
        .map(|number: u8| {
            let mut image = Image::new(4096);
            let file = image.file(&[number; 100]);
            let root = image.directory(&[(&[b'0' + number], file)]);
            let ranges = MemoryRanges::new(image.bytes(root));
            let key = format!("archive {number}");
            let archive = block_on(open(ranges.clone(), cache.clone(), &key)).unwrap();
            Reader { archive, ranges }
        })
        .collect();
    for _ in 0..2 {
        for (number, reader) in (1_u8..).zip(&archives) {
            assert_eq!(reader.names().unwrap(), [[b'0' + number]]);
            let file = reader.node(&number.to_string());
            assert_eq!(reader.read(&file, 0, 1_000).unwrap(), [number; 100]);
        }
    }
}

#[test]
fn a_cache_without_room_changes_nothing_but_reads() {
    let bytes = tree(20);
    let roomy = Reader::open(bytes.clone()).unwrap().walk(10_000).unwrap();
    for max_bytes in [0, 1, 10_000] {
        let ranges = MemoryRanges::new(bytes.clone());
        let cache = Rc::new(Cache::new(max_bytes));
        let archive = block_on(open(ranges.clone(), cache, "archive")).unwrap();
        let reader = Reader { archive, ranges };
        assert_eq!(reader.walk(10_000).unwrap(), roomy, "{max_bytes}");
        let file = reader.node("dir0007/file09");
        assert_eq!(reader.read(&file, 0, 100).unwrap(), b"7 9");
    }
}
