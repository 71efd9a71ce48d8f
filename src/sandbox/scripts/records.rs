//! The output of the scripts for git: fields and paths, each with a NUL.

use crate::ports::sandbox::FoundPath;

pub(crate) struct Records<'a>(pub &'a [u8]);

impl<'a> Records<'a> {
    /// The next record. A record without a NUL was cut off, and does not count.
    pub(crate) fn next(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let (record, rest) = self.0.split_at_checked(end)?;
        self.0 = rest.get(1..)?;
        Some(record)
    }

    pub(crate) fn words(&mut self) -> Option<std::str::SplitN<'a, char>> {
        Some(std::str::from_utf8(self.next()?).ok()?.splitn(4, ' '))
    }

    /// Paths, up to an empty record.
    pub(crate) fn paths(&mut self) -> Option<Vec<FoundPath>> {
        let mut paths = Vec::new();
        loop {
            match self.next()? {
                [] => return Some(paths),
                path => paths.push(FoundPath::of(path)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_until_one_is_cut_off() {
        let mut records = Records(b"a b\0x\0y\0\0rest\0cut");
        assert_eq!(records.words().unwrap().collect::<Vec<_>>(), ["a", "b"]);
        let paths = records.paths().unwrap();
        assert_eq!(paths.iter().map(|found| found.path.as_str()).collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(records.next(), Some(&b"rest"[..]));
        assert_eq!((records.paths(), records.0), (None, &b"cut"[..]));
    }
}
