//! Text records, by which a container and the Worker describe trees to each other.
//!
//! A record is `TYPE MODE UID GID SIZE TIME PATH`, for a symbolic link followed by `>TARGET`. TYPE
//! is the letter that `find` prints. SIZE is that of a file or a link's target, otherwise 0. TIME
//! is a file's time in whole seconds, perhaps after the Worker's [`Mark`], otherwise 0.

use crate::domain::text::utf8::hex;
use crate::domain::tree::{TreeEntry, TreeKind};
use std::io::Write;

/// Compares files of equal size and time. Without a mark, they are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Unchanged since the workspace's last save: the container's record of that decides.
    Saved,
    /// The content decides, by its hash if known.
    Content(Option<[u8; 32]>),
}

/// The record of a file, with a mark.
#[must_use]
pub fn write_marked(path: &[u8], entry: &TreeEntry, mark: Option<Mark>) -> Vec<u8> {
    let time = match (&entry.kind, mark) {
        (TreeKind::File { modified_at_secs: Some(secs), .. }, Some(mark)) => match mark {
            Mark::Saved => format!("={secs}"),
            Mark::Content(None) => format!("?{secs}"),
            Mark::Content(Some(sum)) => format!("?{secs}:{}", hex(&sum)),
        },
        (TreeKind::File { modified_at_secs: Some(secs), .. }, None) => secs.to_string(),
        // No container prints `?`, so the file differs, and its content is compared.
        (TreeKind::File { modified_at_secs: None, .. }, _) => "?".to_owned(),
        _ => "0".to_owned(),
    };
    record(path, entry, &time)
}

/// An entry's record, without its terminator.
#[must_use]
pub fn write(path: &[u8], entry: &TreeEntry) -> Vec<u8> {
    write_marked(path, entry, None)
}

fn record(path: &[u8], entry: &TreeEntry, time: &str) -> Vec<u8> {
    let (letter, size, target): (u8, u64, &[u8]) = match &entry.kind {
        TreeKind::File { size_bytes, .. } => (b'f', *size_bytes, b""),
        TreeKind::Directory => (b'd', 0, b""),
        TreeKind::Symlink { target } => (b'l', target.len() as u64, target),
        TreeKind::Other(letter) => (*letter, 0, b""),
    };
    let TreeEntry { mode, uid, gid, .. } = entry;
    let mut record = Vec::with_capacity(path.len() + target.len() + 40);
    // Writing to a vector can't fail.
    let _ = write!(record, "{} {mode:o} {uid} {gid} {size} {time} ", char::from(letter));
    record.extend_from_slice(path);
    if letter == b'l' {
        record.push(b'>');
        record.extend_from_slice(target);
    }
    record
}

/// Parses a valid record.
#[must_use]
pub fn read(record: &[u8]) -> Option<(Vec<u8>, TreeEntry)> {
    let mut fields = record.splitn(7, |byte| *byte == b' ');
    let letter = match fields.next()? {
        [letter] => *letter,
        _ => return None,
    };
    let mut text = || std::str::from_utf8(fields.next()?).ok();
    let mode = u32::from_str_radix(text()?, 8).ok()?;
    let (uid, gid) = (text()?.parse().ok()?, text()?.parse().ok()?);
    let (size_bytes, time): (u64, &str) = (text()?.parse().ok()?, text()?);
    let mut path = fields.next()?.to_vec();
    let kind = match letter {
        b'f' => TreeKind::File { size_bytes, modified_at_secs: time.parse().ok() },
        b'd' => TreeKind::Directory,
        b'l' => {
            let target = path.split_off(path.len().checked_sub(usize::try_from(size_bytes).ok()?)?);
            if path.pop() != Some(b'>') {
                return None;
            }
            TreeKind::Symlink { target }
        }
        letter => TreeKind::Other(letter),
    };
    if path.is_empty() || path.contains(&0) {
        return None;
    }
    Some((path, TreeEntry { kind, mode, uid, gid }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds() -> impl Strategy<Value = TreeKind> {
        prop_oneof![
            (any::<u64>(), proptest::option::of(any::<i64>())).prop_map(
                |(size_bytes, modified_at_secs)| TreeKind::File { size_bytes, modified_at_secs }
            ),
            Just(TreeKind::Directory),
            proptest::collection::vec(1_u8.., 0..20)
                .prop_map(|target| TreeKind::Symlink { target }),
            prop_oneof![Just(b'p'), Just(b's'), Just(b'c'), Just(b'b')].prop_map(TreeKind::Other),
        ]
    }

    proptest! {
        #[test]
        fn records_read_back(
            path in proptest::collection::vec(1_u8.., 1..30), kind in kinds(),
            mode in 0_u32..0o10000, uid in any::<u32>(), gid in any::<u32>(),
        ) {
            let entry = TreeEntry { kind, mode, uid, gid };
            prop_assert_eq!(read(&write(&path, &entry)), Some((path, entry)));
        }

        #[test]
        fn any_bytes_are_a_record_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = read(&bytes);
        }
    }

    #[test]
    fn what_find_prints_is_read() {
        let (path, entry) = read(b"l 777 0 5 3 0 a>b>c>d").unwrap();
        assert_eq!(path, b"a>b");
        assert_eq!(entry.kind, TreeKind::Symlink { target: b"c>d".to_vec() });
        assert_eq!((entry.mode, entry.uid, entry.gid), (0o777, 0, 5));
        let (path, _) = read(b"d 4755 0 0 0 0  a b\n").unwrap();
        assert_eq!(path, b" a b\n");
        for broken in ["", "f 644 0 0 1", "f 9 0 0 1 0 a", "l 777 0 0 9 0 a>b", "d 755 0 0 0 0 "] {
            assert_eq!(read(broken.as_bytes()), None, "{broken}");
        }
    }

    #[test]
    fn a_mark_comes_before_the_time_of_a_file() {
        let kind = TreeKind::File { size_bytes: 3, modified_at_secs: Some(5) };
        let file = TreeEntry { kind, mode: 0o644, uid: 0, gid: 0 };
        let marked = |mark| String::from_utf8(write_marked(b"a", &file, mark)).unwrap();
        assert_eq!(marked(None), "f 644 0 0 3 5 a");
        assert_eq!(marked(Some(Mark::Saved)), "f 644 0 0 3 =5 a");
        assert_eq!(marked(Some(Mark::Content(None))), "f 644 0 0 3 ?5 a");
        let known = marked(Some(Mark::Content(Some([1; 32]))));
        assert_eq!(known, format!("f 644 0 0 3 ?5:{} a", "01".repeat(32)));
        let directory = TreeEntry { kind: TreeKind::Directory, ..file };
        assert_eq!(write_marked(b"a", &directory, Some(Mark::Saved)), b"d 644 0 0 0 0 a");
    }
}
