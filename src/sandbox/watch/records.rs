//! Parses the output of `scripts/watch/watch.py`. The container may run anything, so the output may
//! be anything: it is parsed or refused.

use crate::domain::limits::PATH_MAX_BYTES;

/// One record. Paths are relative to the watched directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchRecord {
    /// The watch has begun, with this number of directories.
    Ready(u64),
    /// A path changed.
    Change(Change, Named),
    /// A file or directory was moved from the first path to the second.
    Renamed(Vec<u8>, Named),
    /// Changes were lost.
    Overflow,
    /// There are more directories than may be watched.
    Full,
    /// The watched directory was removed or moved.
    Gone,
}

/// How a path changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The path was created.
    Created,
    /// The path was modified.
    Modified,
    /// The path was deleted.
    Deleted,
}

/// A path, and whether it is a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The path's bytes.
    pub path: Vec<u8>,
    /// Whether it is a directory.
    pub directory: bool,
}

/// The error for output that is no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// Longest field. A path may be deeper than Linux can open at once.
const FIELD_MAX_BYTES: usize = 16 * PATH_MAX_BYTES;
const FIELDS_MAX: usize = 4;

/// Parses records from bytes that may be cut anywhere.
#[derive(Debug, Default)]
pub struct WatchRecords {
    /// Complete fields of an incomplete record.
    fields: Vec<Vec<u8>>,
    /// The beginning of an incomplete field.
    rest: Vec<u8>,
}

impl WatchRecords {
    /// Returns the records that these bytes complete.
    ///
    /// # Errors
    /// [`Unreadable`]. After it, do not read on.
    pub fn read(&mut self, bytes: &[u8]) -> Result<Vec<WatchRecord>, Unreadable> {
        let mut records = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == 0) {
            let (part, is_whole) =
                piece.strip_suffix(&[0]).map_or((piece, false), |part| (part, true));
            self.rest.extend_from_slice(part);
            if self.rest.len() > FIELD_MAX_BYTES {
                return Err(Unreadable);
            }
            if is_whole {
                self.fields.push(std::mem::take(&mut self.rest));
                if let Some(record) = parse(&self.fields)? {
                    records.push(record);
                    self.fields.clear();
                }
            }
        }
        Ok(records)
    }

    /// Bytes of an incomplete record. Bounded.
    #[must_use]
    pub fn waiting_bytes(&self) -> usize {
        self.rest.len() + self.fields.iter().map(Vec::len).sum::<usize>()
    }

    /// Upper bound of [`Self::waiting_bytes`].
    pub const WAITING_MAX_BYTES: usize = FIELDS_MAX * FIELD_MAX_BYTES;
}

/// Parses a record. None: fields are missing.
fn parse(fields: &[Vec<u8>]) -> Result<Option<WatchRecord>, Unreadable> {
    let fields: Vec<&[u8]> = fields.iter().map(Vec::as_slice).collect();
    let change = |kind: &[u8]| match kind {
        b"created" => Ok(Change::Created),
        b"modified" => Ok(Change::Modified),
        b"deleted" => Ok(Change::Deleted),
        _ => Err(Unreadable),
    };
    let record = match *fields.as_slice() {
        [b"overflow"] => WatchRecord::Overflow,
        [b"full"] => WatchRecord::Full,
        [b"gone"] => WatchRecord::Gone,
        [b"ready", count] => WatchRecord::Ready(number(count)?),
        [b"renamed", directory, from, to] => {
            WatchRecord::Renamed(path(from)?, named(directory, to)?)
        }
        [b"ready"] | [b"renamed"] | [b"renamed", _] | [b"renamed", _, _] => return Ok(None),
        [kind] | [kind, _] => return change(kind).map(|_| None),
        [kind, directory, path] => WatchRecord::Change(change(kind)?, named(directory, path)?),
        _ => return Err(Unreadable),
    };
    Ok(Some(record))
}

fn number(text: &[u8]) -> Result<u64, Unreadable> {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or(Unreadable)
}

fn named(directory: &[u8], to: &[u8]) -> Result<Named, Unreadable> {
    let directory = match directory {
        b"d" => true,
        b"f" => false,
        _ => return Err(Unreadable),
    };
    Ok(Named { path: path(to)?, directory })
}

/// Checks that a path stays below the directory, because callers rely on that.
fn path(bytes: &[u8]) -> Result<Vec<u8>, Unreadable> {
    let parts = || bytes.split(|byte| *byte == b'/');
    if parts().any(|part| matches!(part, b"" | b"." | b"..")) {
        return Err(Unreadable);
    }
    Ok(bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &[u8], directory: bool) -> Named {
        Named { path: path.to_vec(), directory }
    }

    #[test]
    fn records_are_read_wherever_they_are_cut() {
        let printed = b"ready\x0012\0created\0d\0a\0modified\0f\0a/\n\xff\0deleted\0f\0x y\0renamed\0d\0a\0b\0overflow\0full\0gone\0";
        let expected = [
            WatchRecord::Ready(12),
            WatchRecord::Change(Change::Created, named(b"a", true)),
            WatchRecord::Change(Change::Modified, named(b"a/\n\xff", false)),
            WatchRecord::Change(Change::Deleted, named(b"x y", false)),
            WatchRecord::Renamed(b"a".to_vec(), named(b"b", true)),
            WatchRecord::Overflow,
            WatchRecord::Full,
            WatchRecord::Gone,
        ];
        for size in 1..=printed.len() {
            let mut records = WatchRecords::default();
            let read: Vec<WatchRecord> =
                printed.chunks(size).flat_map(|part| records.read(part).unwrap()).collect();
            assert_eq!(read, expected, "{size}");
            assert_eq!(records.waiting_bytes(), 0);
        }
    }

    #[test]
    fn what_is_no_record_is_refused() {
        for printed in [
            &b"\0"[..],
            b"Traceback\0",
            b"ready\0many\0",
            b"ready\0-1\0",
            b"created\0x\0a\0",
            b"created\0f\0\0",
            b"created\0f\0/etc/passwd\0",
            b"created\0f\0../a\0",
            b"created\0f\0a//b\0",
            b"renamed\0f\0.\0b\0",
            b"renamed\0f\0a\0b/\0",
        ] {
            let read = WatchRecords::default().read(printed);
            assert_eq!(read, Err(Unreadable), "{}", String::from_utf8_lossy(printed));
        }
        let mut endless = WatchRecords::default();
        let refused = (0..1_000).find(|_| endless.read(&[b'x'; 1_000]).is_err());
        assert!(refused.is_some());
    }
}
