//! How an archive may be compressed.

use crate::archive::{file, tar};
use crate::look::stored;
use crate::{code, compressed, open};
use snapshotter::domain::error::ErrorCode::{Integrity, Unsupported};

fn archive() -> Vec<u8> {
    let noise: Vec<u8> =
        (0..700_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    tar(&[file("a", &noise), file("b", b"x")])
}

#[test]
fn an_archive_may_be_in_several_frames_with_others_between() {
    let tar = archive();
    let (first, second) = tar.split_at(300_001);
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 5, 0, 0, 0][..], b"notes"].concat();
    let frames =
        [skipped.clone(), compressed(first), skipped.clone(), stored(second), skipped].concat();
    let reader = open(frames).unwrap();
    assert_eq!(reader.content("a").len(), 700_000);
    assert_eq!(reader.content("b"), b"x");
}

#[test]
fn a_frame_that_is_damaged_or_cut_off_is_refused() {
    let whole = compressed(&archive());
    let refused = |bytes: Vec<u8>| open(bytes).err().unwrap();
    for len in [0, 1, 5, 6, 20, whole.len() / 2, whole.len() - 5, whole.len() - 1] {
        assert_eq!(code(&refused(whole[..len].to_vec())), Integrity, "{len}");
    }
    // The last four bytes are the checksum.
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert!(refused(damaged).message.contains("checksum of its zstd data"));
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 0x10;
    assert_eq!(code(&refused(damaged)), Integrity);
    let garbage = [&whole[..], b"and more, which is no frame at all"].concat();
    assert_eq!(code(&refused(garbage)), Integrity);
    let short_skip = [&whole[..], &[0x50, 0x2a, 0x4d, 0x18, 200, 0, 0, 0, 1]].concat();
    assert!(refused(short_skip).message.contains("cut off"));
    assert_eq!(code(&refused(archive())), Integrity, "it is not compressed");
}

#[test]
fn a_window_is_what_a_frame_needs_up_to_a_bound() {
    let with_window = |exponent: u8| {
        let mut frame = stored(&archive());
        frame[5] = exponent << 3;
        frame
    };
    // 8 MiB, and 16.
    assert_eq!(open(with_window(13)).unwrap().content("b"), b"x");
    let error = open(with_window(14)).err().unwrap();
    assert_eq!(code(&error), Unsupported);
    assert!(error.message.contains("window") && error.hint.is_some(), "{error}");
}

#[test]
fn a_frame_with_a_dictionary_is_not_read() {
    let mut frame = stored(&archive());
    frame[4] = 1;
    frame.insert(6, 9);
    assert_eq!(code(&open(frame).err().unwrap()), Unsupported);
}
