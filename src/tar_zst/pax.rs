//! Extended headers, for values that don't fit into a header.

use crate::domain::error::Result;
use crate::tar_zst::damage::{damaged, unsupported};

/// The values of extended headers for an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Extended {
    pub path: Option<Vec<u8>>,
    pub target: Option<Vec<u8>>,
    pub size_bytes: Option<u64>,
    pub uid: Option<u64>,
    pub gid: Option<u64>,
    pub modified_at_secs: Option<u64>,
}

impl Extended {
    /// Reads the records of a header, each with the form "LENGTH KEY=VALUE\n". Later records take
    /// precedence.
    pub(super) fn read(&mut self, mut records: &[u8]) -> Result<()> {
        while !records.is_empty() {
            let (key, value, rest) = record(records)
                .ok_or_else(|| damaged("an extended header has a record that can't be read"))?;
            self.take(key, value)?;
            records = rest;
        }
        Ok(())
    }

    fn take(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        match key {
            b"path" => self.path = text(value)?,
            b"linkpath" => self.target = text(value)?,
            b"size" => self.size_bytes = number(value)?,
            b"uid" => self.uid = number(value)?,
            b"gid" => self.gid = number(value)?,
            b"mtime" => self.modified_at_secs = time(value)?,
            _ if key.starts_with(b"GNU.sparse.") => {
                return Err(unsupported("it has a sparse file"));
            }
            _ => {}
        }
        Ok(())
    }

    /// These values, or those of `below` where these have none.
    pub(super) fn or(self, below: &Self) -> Self {
        Self {
            path: self.path.or_else(|| below.path.clone()),
            target: self.target.or_else(|| below.target.clone()),
            size_bytes: self.size_bytes.or(below.size_bytes),
            uid: self.uid.or(below.uid),
            gid: self.gid.or(below.gid),
            modified_at_secs: self.modified_at_secs.or(below.modified_at_secs),
        }
    }
}

/// The first record: its key, its value, and the rest after it.
fn record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = records.iter().take(20).position(|byte| *byte == b' ')?;
    let len_bytes = digits(records.get(..space)?)?;
    let (record, rest) = records.split_at_checked(usize::try_from(len_bytes).ok()?)?;
    let body = record.get(space + 1..)?.strip_suffix(b"\n")?;
    let equals = body.iter().position(|byte| *byte == b'=')?;
    Some((body.get(..equals)?, body.get(equals + 1..)?, rest))
}

fn digits(text: &[u8]) -> Option<u64> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if !is_number {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// An empty value removes the value of a global header.
fn text(value: &[u8]) -> Result<Option<Vec<u8>>> {
    if value.contains(&0) {
        return Err(damaged("an extended header has a name with a NUL in it"));
    }
    Ok(if value.is_empty() { None } else { Some(value.to_vec()) })
}

fn number(value: &[u8]) -> Result<Option<u64>> {
    if value.is_empty() {
        return Ok(None);
    }
    let number = digits(value);
    number.map(Some).ok_or_else(|| damaged("an extended header has a number that can't be read"))
}

/// A time in whole seconds. A time before the epoch counts as the epoch.
fn time(value: &[u8]) -> Result<Option<u64>> {
    if value.starts_with(b"-") {
        return Ok(Some(0));
    }
    number(value.split(|byte| *byte == b'.').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::error::ErrorCode;

    fn read(records: &[u8]) -> Result<Extended> {
        let mut extended = Extended::default();
        extended.read(records)?;
        Ok(extended)
    }

    #[test]
    fn records_are_read_by_their_lengths() {
        let records = b"12 path=a=b\n21 comment=line\nline\n21 mtime=12345.67890\n11 size=70\n";
        let extended = read(records).unwrap();
        assert_eq!(extended.path.as_deref(), Some(b"a=b".as_slice()));
        assert_eq!((extended.modified_at_secs, extended.size_bytes), (Some(12_345), Some(70)));
        assert_eq!(read(b"12 mtime=-1\n").unwrap().modified_at_secs, Some(0));
        assert_eq!(read(b"").unwrap(), Extended::default());
    }

    #[test]
    fn a_later_record_wins_and_an_empty_one_takes_back() {
        assert_eq!(read(b"10 path=a\n10 path=b\n").unwrap().path.unwrap(), b"b");
        assert_eq!(read(b"10 path=a\n8 path=\n").unwrap().path, None);
    }

    #[test]
    fn a_record_that_lies_is_refused() {
        for records in [
            &b"path=a\n"[..],
            b"8 path=a\n",
            b"11 path=a\n",
            b"99 path=a\n",
            b"-1 path=a\n",
            b"0 ",
            b"10 path=a",
            b"7 path\n",
            b"10 size=x\n",
            b"29 size=99999999999999999999\n",
            b"12 path=a\0b\n",
        ] {
            let error = read(records).err();
            assert_eq!(error.map(|error| error.code), Some(ErrorCode::Integrity), "{records:?}");
        }
        let sparse = read(b"22 GNU.sparse.major=1\n").unwrap_err();
        assert_eq!(sparse.code, ErrorCode::Unsupported);
    }
}
