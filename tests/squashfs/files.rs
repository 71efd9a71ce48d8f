//! Contents: blocks, holes, fragments, and files that lie about them.

use crate::memory::peak_bytes;
use crate::support::squashfs::{File, Image, LZ4, NONE, STORED, kind, lz4_zeros, words};
use crate::{Reader, assert_damaged, code};
use snapshotter::domain::error::ErrorCode;

const BLOCK: u32 = 4096;
const MEMORY_BYTES: usize = 16 << 20;

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 7 % 251) as u8).collect()
}

/// An archive whose root has one file, `f`.
fn with(image: impl FnOnce(&mut Image) -> crate::support::squashfs::Inode) -> Reader {
    let mut written = Image::new(BLOCK);
    let file = image(&mut written);
    let root = written.directory(&[(b"f", file)]);
    Reader::open(written.bytes(root)).unwrap()
}

#[test]
fn any_range_of_a_file_can_be_read() {
    // A block, a hole, a block, and a tail in a fragment.
    let mut content = pattern(3 * 4096 + 100);
    content[4096..8192].fill(0);
    let reader = with(|image| {
        let fragment = image.data(&[&[9; 50], &content[12_288..], &[9; 50]].concat());
        image.fragments.push((fragment, 200 | STORED));
        let start = image.data(&content[..4096]);
        image.data(&content[8192..12_288]);
        image.extended_file(&File {
            start,
            size: content.len() as u64,
            blocks: &[4096 | STORED, 0, 4096 | STORED],
            fragment: 0,
            fragment_offset: 50,
            ..File::default()
        })
    });
    let file = reader.node("f");
    let edges = [
        0, 1, 2, 4095, 4096, 4097, 8191, 8192, 8193, 12_287, 12_288, 12_289, 12_387, 12_388,
        12_389, 99_999,
    ];
    for from in edges {
        for to in edges.into_iter().filter(|to| *to >= from) {
            let read = reader.read(&file, from as u64, (to - from) as u64).unwrap();
            let end = to.min(content.len());
            assert_eq!(read, &content[from.min(end)..end], "{from} to {to}");
        }
    }
    assert!(reader.read(&file, u64::MAX, 10).unwrap().is_empty());
}

#[test]
fn files_may_share_blocks() {
    let mut image = Image::new(BLOCK);
    let content = pattern(8192);
    let start = image.data(&content);
    let blocks = [4096 | STORED, 4096 | STORED];
    let whole =
        image.extended_file(&File { start, size: 8192, blocks: &blocks, ..File::default() });
    let second = File { start: start + 4096, size: 4096, blocks: &blocks[1..], ..File::default() };
    let second = image.extended_file(&second);
    // Blocks that begin within another one.
    let across = File { start: start + 100, size: 4096, blocks: &blocks[1..], ..File::default() };
    let across = image.extended_file(&across);
    let root = image.directory(&[(b"across", across), (b"second", second), (b"whole", whole)]);
    let reader = Reader::open(image.bytes(root)).unwrap();
    let read = |path| reader.read(&reader.node(path), 0, 10_000).unwrap();
    assert_eq!(read("whole"), content);
    assert_eq!(read("second"), content[4096..]);
    assert_eq!(read("across"), content[100..4196]);
}

#[test]
fn a_directory_has_no_content_to_read() {
    let reader = with(|image| image.file(b"content"));
    let root = reader.root().unwrap();
    assert!(reader.read(&root, 0, 10).is_err());
}

#[test]
fn compressed_blocks_have_exactly_their_size() {
    let cases: [(&str, Vec<u8>, u64, bool); 7] = [
        ("a block", lz4_zeros(4096), 4096, true),
        ("the short last block", lz4_zeros(1000), 1000, true),
        ("a bomb of 1 MiB", lz4_zeros(1 << 20), 4096, false),
        ("one byte more", lz4_zeros(4097), 4096, false),
        ("a last block too long", lz4_zeros(1001), 1000, false),
        ("a block too short", lz4_zeros(4095), 4096, false),
        ("no LZ4", vec![0xff; 100], 4096, false),
    ];
    for (what, block, size, is_whole) in cases {
        let reader = with(|image| {
            image.compressor = LZ4;
            let start = image.data(&block);
            let blocks = [block.len() as u32];
            image.extended_file(&File { start, size, blocks: &blocks, ..File::default() })
        });
        let file = reader.node("f");
        let (read, peak) = peak_bytes(|| reader.read(&file, 0, 10_000));
        assert!(peak <= MEMORY_BYTES, "{what}: {peak}");
        if is_whole {
            assert_eq!(read.unwrap(), vec![0; size as usize], "{what}");
        } else {
            assert_damaged(what, read);
        }
    }
}

#[test]
fn a_stored_block_has_exactly_its_size() {
    for size in [4095, 4097, 5000, (1 << 24) - 1] {
        let reader = with(|image| {
            let start = image.data(&pattern(20_000));
            let blocks = [size | STORED, 4096 | STORED];
            image.extended_file(&File { start, size: 8192, blocks: &blocks, ..File::default() })
        });
        assert_damaged(&format!("{size}"), reader.read(&reader.node("f"), 0, 10_000));
    }
}

#[test]
fn contents_that_are_not_there_are_damage() {
    let whole = File { size: 4096, blocks: &[4096 | STORED], ..File::default() };
    let tail = File { size: 100, fragment: 0, ..File::default() };
    let cases: [(&str, File<'_>); 9] = [
        ("a block beyond the end", File { start: 1 << 40, ..whole.clone() }),
        ("a block past all numbers", File { start: u64::MAX, ..whole.clone() }),
        ("a block past all numbers but a few", File { start: u64::MAX - 4095, ..whole.clone() }),
        (
            "a size with unknown bits",
            File { blocks: &[4096 | STORED | 1 << 30], start: 96, ..whole.clone() },
        ),
        ("more blocks than the table has", File { size: 1 << 30, ..whole.clone() }),
        ("no such fragment", File { fragment: 1, ..tail.clone() }),
        ("no such fragment at all", File { fragment: NONE - 1, ..tail.clone() }),
        ("a tail beyond its fragment", File { fragment_offset: 150, ..tail.clone() }),
        ("a tail past all numbers", File { fragment_offset: NONE, ..tail }),
    ];
    for (what, file) in cases {
        let reader = with(|image| {
            let fragment = image.data(&pattern(200));
            image.fragments.push((fragment, 200 | STORED));
            image.data(&pattern(8192));
            image.extended_file(&file)
        });
        let (read, peak) = peak_bytes(|| {
            let node = reader.find("f")?.unwrap();
            // A block list that is read lazily is only missing where it is needed.
            reader.read(&node, file.size.saturating_sub(10), 10)?;
            reader.read(&node, 0, 10)
        });
        assert!(peak <= MEMORY_BYTES, "{what}: {peak}");
        assert_damaged(what, read);
    }
}

#[test]
fn a_size_past_all_numbers_is_refused() {
    for fragment in [NONE, 0] {
        let reader = with(|image| {
            let blocks = &[4096 | STORED];
            image.extended_file(&File { size: u64::MAX, blocks, fragment, ..File::default() })
        });
        let file = reader.node("f");
        for offset in [0, 4096, 1 << 40, u64::MAX - 10] {
            let (read, peak) = peak_bytes(|| reader.read(&file, offset, 8192));
            let code = code(read);
            assert!([ErrorCode::Integrity, ErrorCode::Unsupported].contains(&code), "{code:?}");
            assert!(peak <= MEMORY_BYTES, "{peak} at {offset}");
        }
    }
}

#[test]
fn fragments_that_are_not_there_are_damage() {
    let cases = [
        ("beyond the end", (1 << 40, 200 | STORED)),
        ("past all numbers", (u64::MAX - 10, 200 | STORED)),
        ("larger than a block", (96, 5000 | STORED)),
        ("of no bytes", (96, STORED)),
        ("of size 0", (96, 0)),
        ("of unknown bits", (96, 1 << 31 | STORED | 200)),
    ];
    for (what, fragment) in cases {
        let reader = with(|image| {
            image.data(&pattern(8192));
            image.fragments.push(fragment);
            image.inode(kind::FILE, 0o644, &words(&[0, 0, 0, 100]))
        });
        assert_damaged(what, reader.find("f").and_then(|file| reader.read(&file.unwrap(), 0, 100)));
    }
}
