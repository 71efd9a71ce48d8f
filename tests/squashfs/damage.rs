//! Archives that break off, and archives with some wrong bytes: never a panic, never
//! a read outside, and what is refused is called damaged (`look` checks that).

use crate::look::look;
use crate::memory::peak_bytes;
use crate::support::squashfs::{field, sample};
use crate::{Reader, code};
use snapshotter::domain::error::ErrorCode;
use std::fs;

/// Numbers that follow from a seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

const MEMORY_BYTES: usize = 16 << 20;

fn bounded(what: &str, bytes: &[u8]) -> usize {
    let (seen, peak) = peak_bytes(|| look(bytes));
    assert!(peak <= MEMORY_BYTES, "{what}: {peak} bytes held at once");
    seen.errors
}

fn fixture() -> Vec<u8> {
    let id = "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db";
    fs::read(format!("tests/fixtures/sandbox-sdk-0.12.10/backups/{id}/data.sqsh")).unwrap()
}

#[test]
fn the_sample_is_whole() {
    let seen = look(&sample());
    assert_eq!((seen.nodes, seen.xattrs, seen.errors), (10, 4, 0));
    assert!(seen.content_bytes > 10_000, "{seen:?}");
    let seen = look(&fixture());
    assert_eq!((seen.nodes, seen.errors), (12, 0));
}

#[test]
fn an_archive_that_breaks_off_is_damaged() {
    let whole = sample();
    for len in 0..whole.len() {
        assert!(bounded(&format!("{len} bytes"), &whole[..len]) > 0, "{len} bytes");
    }
}

#[test]
fn any_one_wrong_byte_is_an_error_or_another_archive() {
    let whole = sample();
    for at in 0..whole.len() {
        for other in [whole[at] ^ 0xff, whole[at] ^ 1, whole[at] ^ 0x80, 0, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = other;
            bounded(&format!("byte {at} as {other}"), &bytes);
        }
    }
}

#[test]
fn wrong_bytes_anywhere_are_an_error_or_another_archive() {
    for (name, whole, rounds) in [("sample", sample(), 3_000), ("fixture", fixture(), 1_000)] {
        for seed in 0..rounds {
            let mut dice = Dice(seed);
            let mut bytes = whole.clone();
            for _ in 0..=dice.below(8) {
                // Half of them in the metadata, at the end.
                let from = [0, bytes.len() - bytes.len().min(1_500)][dice.below(2)];
                let at = from + dice.below(bytes.len() - from);
                bytes[at] = dice.below(256) as u8;
            }
            bounded(&format!("{name}, seed {seed}"), &bytes);
        }
    }
}

/// The sample with these bytes in its superblock.
fn patched(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut archive = sample();
    archive[at..at + bytes.len()].copy_from_slice(bytes);
    archive
}

#[test]
fn a_superblock_that_cannot_be_is_refused() {
    let cases: [(&str, usize, &[u8]); 13] = [
        ("magic", field::MAGIC, b"sqsh"),
        ("block size 0", field::BLOCK_SIZE, &[0, 0, 0, 0]),
        ("block size 3,000", field::BLOCK_SIZE, &3_000_u32.to_le_bytes()),
        ("block size 2 KiB", field::BLOCK_SIZE, &[0, 8, 0, 0, 1, 0, 0, 0, 1, 0, 11]),
        ("block size 2 MiB", field::BLOCK_SIZE, &(2_u32 << 20).to_le_bytes()),
        ("block size 2 GiB", field::BLOCK_SIZE, &(2_u32 << 30).to_le_bytes()),
        ("logarithm", field::BLOCK_LOG, &[13, 0]),
        ("logarithm beyond", field::BLOCK_LOG, &[255, 255]),
        ("bytes beyond the end", field::BYTES_USED, &(1_u64 << 40).to_le_bytes()),
        ("no bytes", field::BYTES_USED, &[0; 8]),
        ("inodes at the end", field::INODE_TABLE, &[0xff; 8]),
        ("ids in the superblock", field::ID_TABLE, &[8, 0, 0, 0, 0, 0, 0, 0]),
        ("directories before inodes", field::DIRECTORY_TABLE, &[96, 0, 0, 0, 0, 0, 0, 0]),
    ];
    for (what, at, bytes) in cases {
        let opened = Reader::open(patched(at, bytes)).and_then(|reader| reader.walk(100));
        assert_eq!(code(opened), ErrorCode::Integrity, "{what}");
    }
}

#[test]
fn another_format_is_not_supported() {
    for (what, at, number) in [
        ("lzma", field::COMPRESSOR, 2),
        ("lzo", field::COMPRESSOR, 3),
        ("version 3", field::MAJOR, 3),
        ("version 5", field::MAJOR, 5),
    ] {
        let opened = Reader::open(patched(at, &[number, 0]));
        assert_eq!(code(opened), ErrorCode::Unsupported, "{what}");
    }
}

/// Each field of the superblock, with numbers that overflow sums and products.
#[test]
fn no_number_in_the_superblock_makes_it_panic() {
    let numbers =
        [0, 1, 95, 96, 8192, u64::MAX, u64::MAX - 1, u64::MAX - 95, 1 << 63, 1 << 32, 0xffff_ffff];
    for at in field::ROOT..field::END {
        for number in numbers {
            let number = number.to_le_bytes();
            let len = number.len().min(field::END - at);
            bounded(&format!("{number:?} at {at}"), &patched(at, &number[..len]));
        }
    }
    for at in field::INODES..field::ROOT {
        for number in [0_u16, 1, 0x7fff, 0x8000, 0xffff] {
            let number = number.to_le_bytes();
            let len = number.len().min(field::ROOT - at);
            bounded(&format!("{number:?} at {at}"), &patched(at, &number[..len]));
        }
    }
    assert_eq!(look(&patched(field::BLOCK_SIZE, &sample()[12..16])).errors, 0, "nothing changed");
}
