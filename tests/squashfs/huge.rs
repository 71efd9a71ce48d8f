//! A directory of a million entries, and a file of 10 TB that is one hole.

#![expect(clippy::disallowed_methods, reason = "a test measures time")]

use crate::memory::peak_bytes;
use crate::support::squashfs::{
    File, Image, Inode, LZ4, METADATA_BYTES, Place, Step, kind, lz4_zeros, runs, stored,
};
use crate::{CACHE_BYTES, Reader, code};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::limits::ARCHIVE_BLOCKS_SCANNED_MAX;
use snapshotter::squashfs::NodeKind;
use std::time::Instant;

const MEMORY_BYTES: usize = CACHE_BYTES + (12 << 20);
const MILLION: usize = 1_000_000;

fn name(at: usize) -> Vec<u8> {
    format!("{at:07}").into_bytes()
}

/// A root of a million fifos, with an index of it or without.
fn million(is_indexed: bool) -> Reader {
    let mut image = Image::new(131_072);
    let names: Vec<Vec<u8>> = (0..MILLION).map(name).collect();
    let fifos: Vec<Inode> = names.iter().map(|_| image.special(kind::FIFO)).collect();
    let entries: Vec<(&[u8], Inode)> =
        names.iter().zip(&fifos).map(|(name, fifo)| (name.as_slice(), *fifo)).collect();
    let runs = runs(&entries);
    let mut index = Vec::new();
    let (mut at, mut block) = (0, 0);
    for run in &runs {
        let place = Place::of(at);
        if place.block != block {
            index.push(Step { index: at as u32, block: place.block, name: run.entries[0].name });
            block = place.block;
        }
        at += 12 + run.entries.iter().map(|entry| 8 + entry.name.len()).sum::<usize>();
    }
    let listing = image.listing(&runs);
    let root = image.directory_of(listing, if is_indexed { &index } else { &[] });
    Reader::open(image.bytes(root)).unwrap()
}

/// Entries after a number, as numbers.
fn page(reader: &Reader, after: Option<usize>, limit: usize) -> Vec<usize> {
    let root = reader.root().unwrap();
    let after = after.map(name);
    let entries = reader.entries(&root, after.as_deref(), limit).unwrap();
    entries
        .into_iter()
        .map(|entry| {
            let at: usize = String::from_utf8(entry.name).unwrap().parse().unwrap();
            assert_eq!((entry.node.kind, entry.node.inode as usize), (NodeKind::Fifo, at + 1));
            at
        })
        .collect()
}

#[test]
fn a_million_entries_are_paged_within_bounds() {
    let reader = million(true);
    for after in [None, Some(0), Some(499_999), Some(123_456), Some(998_999), Some(999_998)] {
        reader.ranges.take_reads();
        let from = after.map_or(0, |after| after + 1);
        let (seen, peak) = peak_bytes(|| page(&reader, after, 1_000));
        assert!(seen.into_iter().eq(from..MILLION.min(from + 1_000)), "after {after:?}");
        assert!(peak <= MEMORY_BYTES, "{peak} bytes held after {after:?}");
        let reads = reader.ranges.take_reads();
        let bytes: u64 = reads.iter().map(|(_, len)| len).sum();
        assert!(
            reads.len() <= 10 && bytes <= 12 << 20,
            "{bytes} bytes by {} reads after {after:?}",
            reads.len()
        );
    }
    for wanted in [0, 1, 255, 256, 500_000, 999_999] {
        let (found, peak) = peak_bytes(|| reader.find(name(wanted)).unwrap().unwrap());
        assert_eq!(found.inode as usize, wanted + 1);
        assert!(peak <= MEMORY_BYTES, "{peak}");
        let reads = reader.ranges.take_reads();
        assert!(reads.len() < 10, "{} reads for {wanted}", reads.len());
    }
    assert_eq!(reader.find("0500000x").unwrap(), None);
}

#[test]
fn all_pages_of_a_million_entries_take_seconds() {
    let reader = million(true);
    let begun = Instant::now();
    let mut seen = 0;
    let (_, peak) = peak_bytes(|| {
        while seen < MILLION {
            let page = page(&reader, seen.checked_sub(1), 10_000);
            assert!(page.into_iter().eq(seen..seen + 10_000));
            seen += 10_000;
        }
    });
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    assert!(peak <= MEMORY_BYTES, "{peak}");
    // Each table is read about once.
    let bytes: u64 = reader.ranges.take_reads().iter().map(|(_, len)| len).sum();
    assert!(bytes < 300 << 20, "{bytes} bytes read");
}

#[test]
fn a_million_entries_without_an_index_are_bounded_too() {
    let reader = million(false);
    for after in [None, Some(499_999), Some(999_989)] {
        let from = after.map_or(0, |after| after + 1);
        let begun = Instant::now();
        let (seen, peak) = peak_bytes(|| page(&reader, after, 10));
        assert!(seen.into_iter().eq(from..from + 10), "after {after:?}");
        assert!(peak <= MEMORY_BYTES, "{peak} bytes held after {after:?}");
        assert!(begun.elapsed().as_secs() < 5, "{:?} after {after:?}", begun.elapsed());
    }
    let reads = reader.ranges.take_reads();
    assert!(reads.len() < 100, "{} reads", reads.len());
    let root = reader.root().unwrap();
    let (walked, peak) = peak_bytes(|| {
        let mut walk = reader.archive.walk(&root);
        let mut count = 0;
        while futures::executor::block_on(walk.next()).unwrap().is_some() {
            count += 1;
        }
        count
    });
    assert_eq!(walked, MILLION);
    assert!(peak <= MEMORY_BYTES, "{peak}");
}

/// 10 TiB in blocks of 1 MiB: 40 MiB of sizes, all 0, in 230 kB of LZ4.
fn hole() -> Reader {
    const SIZE: u64 = 10 << 40;
    let mut image = Image::new(1 << 20);
    image.compressor = LZ4;
    let file = image.extended_file(&File { size: SIZE, ..File::default() });
    let header = image.inodes.len();
    let last = image.directory(&[(b"hole", file)]);
    let sizes = (SIZE >> 20) as usize * 4;
    let first = METADATA_BYTES - header;
    let blocks = (sizes - first) / METADATA_BYTES;
    let rest = (sizes - first) % METADATA_BYTES;
    let inodes = std::mem::take(&mut image.inodes);
    let mut table = stored(&[&inodes[..header], &vec![0; first]].concat());
    let zeros = lz4_zeros(METADATA_BYTES);
    let block = [(zeros.len() as u16).to_le_bytes().to_vec(), zeros].concat();
    table.extend(block.repeat(blocks));
    let place = Place { block: table.len() as u32, offset: rest as u16 };
    table.extend(stored(&[vec![0; rest], inodes[header..].to_vec()].concat()));
    image.stored_inodes = Some(table);
    Reader::open(image.bytes(Inode { place, ..last })).unwrap()
}

#[test]
fn a_large_file_that_is_read_in_order_is_scanned_once() {
    let reader = hole();
    let found = reader.node("hole");
    let begun = Instant::now();
    for at in 0..100 {
        let read = reader.read(&found, (1 << 40) + at * (1 << 20), 1 << 20).unwrap();
        assert_eq!(read.len(), 1 << 20);
    }
    println!("{:?}", begun.elapsed());
    assert!(begun.elapsed().as_millis() < 5_000, "{:?}", begun.elapsed());
}

#[test]
fn a_hole_of_10_tb_is_read_at_once_or_not_at_all() {
    let reader = hole();
    let (found, peak) = peak_bytes(|| reader.node("hole"));
    assert_eq!(found.kind, NodeKind::File { size_bytes: 10 << 40 });
    assert!(peak <= MEMORY_BYTES, "{peak}");
    let last = (ARCHIVE_BLOCKS_SCANNED_MAX << 20) - 100_000;
    let end = 10 << 40;
    for offset in [0, 1 << 40, last, last + 1, 5 << 40, end - 10, end] {
        let begun = Instant::now();
        let (read, peak) = peak_bytes(|| reader.read(&found, offset, 100_000));
        match offset {
            _ if offset == end => assert!(read.unwrap().is_empty()),
            _ if offset > last => assert_eq!(code(read), ErrorCode::Unsupported, "at {offset}"),
            _ => assert_eq!(read.unwrap(), vec![0; 100_000], "at {offset}"),
        }
        println!("{:?} at {offset}", begun.elapsed());
        assert!(begun.elapsed().as_millis() < 1_500, "{:?} at {offset}", begun.elapsed());
        assert!(peak <= MEMORY_BYTES, "{peak} at {offset}");
        let reads = reader.ranges.take_reads();
        assert!(reads.len() < 10, "{} reads at {offset}", reads.len());
    }
}
