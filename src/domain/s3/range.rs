//! Byte ranges of objects.

/// The byte range of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteRange {
    /// From a first byte to the end, or to a last byte.
    From {
        /// First byte.
        first: u64,
        /// Last byte, inclusive.
        last: Option<u64>,
    },
    /// The last bytes.
    Suffix(u64),
}

impl ByteRange {
    /// Parses the header `Range`. As in S3, several or malformed ranges mean the whole object, too.
    #[must_use]
    pub fn parse(header: &str) -> Option<Self> {
        let (first, last) = header.trim().strip_prefix("bytes=")?.split_once('-')?;
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            digits.then(|| text.parse::<u64>().unwrap_or(u64::MAX))
        };
        match (first, last) {
            ("", suffix) => number(suffix).map(Self::Suffix),
            (first, "") => Some(Self::From { first: number(first)?, last: None }),
            (first, last) => {
                let (first, last) = (number(first)?, number(last)?);
                (first <= last).then_some(Self::From { first, last: Some(last) })
            }
        }
    }

    /// The header that [`Self::parse`] reads.
    #[must_use]
    pub fn header(self) -> String {
        match self {
            Self::From { first, last: Some(last) } => format!("bytes={first}-{last}"),
            Self::From { first, last: None } => format!("bytes={first}-"),
            Self::Suffix(length) => format!("bytes=-{length}"),
        }
    }

    /// Offset and length in an object of `size`. None if the range begins after its end.
    #[must_use]
    pub fn within(self, size: u64) -> Option<(u64, u64)> {
        match self {
            Self::From { first, .. } if first >= size => None,
            Self::From { first, last } => {
                let end = last.map_or(size, |last| last.saturating_add(1).min(size));
                Some((first, end - first))
            }
            Self::Suffix(0) => None,
            Self::Suffix(_) if size == 0 => None,
            Self::Suffix(len) => Some((size.saturating_sub(len), len.min(size))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_written_as_it_is_read() {
        for header in ["bytes=0-0", "bytes=2-5", "bytes=2-", "bytes=-3"] {
            assert_eq!(ByteRange::parse(header).map(ByteRange::header).as_deref(), Some(header));
        }
    }

    #[test]
    fn ranges_lie_within_their_object() {
        let within = |header, size| ByteRange::parse(header).unwrap().within(size);
        assert_eq!(within("bytes=0-0", 10), Some((0, 1)));
        assert_eq!(within("bytes=2-5", 10), Some((2, 4)));
        assert_eq!(within("bytes=2-", 10), Some((2, 8)));
        assert_eq!(within("bytes=2-99", 10), Some((2, 8)));
        assert_eq!(within("bytes=0-99999999999999999999", 10), Some((0, 10)));
        assert_eq!(within("bytes=-3", 10), Some((7, 3)));
        assert_eq!(within("bytes=-30", 10), Some((0, 10)));
        assert_eq!(within("bytes=10-", 10), None);
        assert_eq!(within("bytes=0-", 0), None);
        assert_eq!(within("bytes=-1", 0), None);
        assert_eq!(within("bytes=-0", 10), None);
        for header in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=5-2",
            "bytes=a-b",
            "bytes=0-1,3-4",
            "items=0-1",
            "bytes=+1-2",
        ] {
            assert_eq!(ByteRange::parse(header), None, "{header}");
        }
    }
}
