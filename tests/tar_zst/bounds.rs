//! How much memory and work a look takes.

use crate::archive::{Member, file, tar};
use crate::memory::peak_bytes;
use crate::support::ranges::MemoryRanges;
use crate::{code, compressed, open_with};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::limits::{TAR_LOOK_MAX_BYTES, TAR_PIECE_BYTES, TAR_WORK_MAX_BYTES};
use snapshotter::tar_zst::TarMemory;

fn noise(len: usize, seed: u32) -> Vec<u8> {
    let mut state = seed | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    std::iter::repeat_with(next).take(len).collect()
}

#[test]
fn an_index_and_a_place_are_kept_between_calls() {
    let members: Vec<Member> =
        (0..20).map(|at| file(&format!("f{at:02}"), &noise(400_000, at))).collect();
    let ranges = MemoryRanges::new(compressed(&tar(&members)));
    let memory = TarMemory::default();
    let first = open_with(ranges.clone(), &memory, TAR_WORK_MAX_BYTES).unwrap();
    let all = ranges.take_reads();
    assert!(all.iter().all(|(_, len)| *len <= TAR_PIECE_BYTES));
    let second = open_with(ranges.clone(), &memory, TAR_WORK_MAX_BYTES).unwrap();
    assert!(ranges.take_reads().is_empty(), "the index is in memory");
    // A read stops at the file, and the next one goes on from there.
    assert_eq!(first.content("f01"), members[1].content);
    assert_eq!(ranges.take_reads().len(), 1);
    for member in &members[2..] {
        let name = std::str::from_utf8(&member.name).unwrap();
        let (first, rest) = member.content.split_at(200_000);
        assert_eq!(second.read(name, 0, 200_000).unwrap(), first);
        assert_eq!(second.read(name, 200_000, u64::MAX).unwrap(), rest);
    }
    let reads = ranges.take_reads();
    assert!(reads.len() < all.len(), "{reads:?}");
}

#[test]
fn files_in_another_order_are_decompressed_together() {
    // In the archive, the last come first.
    let members: Vec<Member> =
        (0..200).rev().map(|at| file(&format!("f{at:03}"), &noise(20_000, at))).collect();
    let tar = tar(&members);
    let ranges = MemoryRanges::new(compressed(&tar));
    let reader = open_with(ranges, &TarMemory::default(), 5 * tar.len() as u64).unwrap();
    for member in members.iter().rev() {
        assert_eq!(reader.content(std::str::from_utf8(&member.name).unwrap()), member.content);
    }
}

#[test]
fn a_call_that_decompresses_too_much_is_told_so() {
    let members: Vec<Member> =
        (0..4).map(|at| file(&format!("f{at}"), &noise(2_000_000, at))).collect();
    let tar = tar(&members);
    let work = 3 * tar.len() as u64;
    let reader =
        open_with(MemoryRanges::new(compressed(&tar)), &TarMemory::default(), work).unwrap();
    let read = |at: usize| reader.read(&format!("f{at}"), 0, u64::MAX);
    let error = (0..10).map(|round| read(3 - round % 4)).find_map(Result::err).unwrap();
    assert_eq!(code(&error), ErrorCode::Unsupported);
    assert!(error.hint.unwrap().contains("importBackup"));
}

#[test]
fn a_bomb_takes_bounded_memory_and_work() {
    // Blocks that repeat a byte: 4 bytes for each 128 KiB.
    let mut bomb = crate::look::stored(&crate::archive::bytes_of(&Member {
        size: Some(TAR_LOOK_MAX_BYTES - 10_000),
        ..file("zeros", b"")
    }));
    let last = bomb.len() - 512 - 3;
    bomb[last] &= !1;
    let block = ((128_u32 << 10) << 3) | 0b010;
    for _ in 0..10_000 {
        bomb.extend(&block.to_le_bytes()[..3]);
        bomb.push(0);
    }
    let open = || open_with(MemoryRanges::new(bomb.clone()), &TarMemory::default(), 64 << 20);
    let (error, peak) = peak_bytes(|| open().err().unwrap());
    assert_eq!(code(&error), ErrorCode::Unsupported);
    assert!(peak < 24 << 20, "{peak} bytes were held");
}

#[test]
fn memory_is_that_of_a_window_and_an_index() {
    let members: Vec<Member> =
        (0..40).map(|at| file(&format!("f{at}"), &noise(1_000_000, at))).collect();
    let packed = compressed(&tar(&members));
    let ranges = MemoryRanges::new(packed);
    let memory = TarMemory::default();
    let (reader, peak) =
        peak_bytes(|| open_with(ranges.clone(), &memory, TAR_WORK_MAX_BYTES).unwrap());
    assert!(peak < 16 << 20, "{peak} bytes were held");
    let (_, peak) = peak_bytes(|| reader.read("f39", 0, 1_000).unwrap());
    assert!(peak < 16 << 20, "{peak} bytes were held");
}

#[test]
fn a_bucket_that_fails_leaves_nothing_behind() {
    let members: Vec<Member> =
        (0..8).map(|at| file(&format!("f{at}"), &noise(900_000, at))).collect();
    let ranges = MemoryRanges::new(compressed(&tar(&members)));
    let memory = TarMemory::default();
    ranges.fail_after(Some(1));
    let error = open_with(ranges.clone(), &memory, TAR_WORK_MAX_BYTES).err().unwrap();
    assert_eq!(code(&error), ErrorCode::Unavailable);
    ranges.fail_after(None);
    let reader = open_with(ranges.clone(), &memory, TAR_WORK_MAX_BYTES).unwrap();
    ranges.fail_after(Some(1));
    assert_eq!(code(&reader.read("f7", 0, 9).unwrap_err()), ErrorCode::Unavailable);
    ranges.fail_after(None);
    assert_eq!(reader.content("f7"), members[7].content);
}
