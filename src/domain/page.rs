//! Limits on page sizes, and opaque cursors.

use crate::domain::json::parse_own;
use crate::domain::limits::CURSOR_MAX_BYTES;
use crate::domain::{Error, Result, SessionId};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// The requested number of results, at most `max`.
///
/// # Errors
/// `INVALID_ARGUMENT` for 0: a page without results has no next page.
pub fn page_size(asked: Option<u32>, max: u32) -> Result<u32> {
    match asked {
        Some(0) => Err(Error::invalid("limit", "must be at least 1")),
        asked => Ok(asked.unwrap_or(max).min(max)),
    }
}

/// The requested number of results, or `default`.
///
/// # Errors
/// `INVALID_ARGUMENT` for 0, and for more than `most`.
pub fn checked_limit(asked: Option<usize>, default: usize, most: usize) -> Result<usize> {
    match asked.unwrap_or(default) {
        limit if (1..=most).contains(&limit) => Ok(limit),
        _ => Err(Error::invalid("limit", format!("must be 1 to {most}"))),
    }
}

/// Where the next page begins. A forged one only starts elsewhere in a list that is readable
/// anyway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Cursor {
    /// In the session's catalogue: rows older than `before_seq`.
    #[serde(rename = "c")]
    Catalogue {
        /// Sequence number of the last row returned.
        #[serde(rename = "s")]
        before_seq: i64,
    },
    /// In the bucket: R2's own cursor.
    #[serde(rename = "b")]
    Bucket {
        /// R2's cursor.
        #[serde(rename = "r")]
        r2: String,
    },
    /// In the bucket, among the backups of Sandbox SDK 1.0 that follow ours.
    #[serde(rename = "k")]
    SdkBackups {
        /// R2's cursor. None at the first such backup.
        #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
        r2: Option<String>,
    },
    /// In the directory: sessions after `after`.
    #[serde(rename = "d")]
    Sessions {
        /// Last session returned.
        #[serde(rename = "a")]
        after: SessionId,
    },
    /// In the buckets of several bindings.
    #[serde(rename = "p")]
    Buckets {
        /// Binding of the bucket.
        #[serde(rename = "n")]
        binding: String,
        /// R2's cursor. None at the bucket's beginning.
        #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
        r2: Option<String>,
    },
    /// In the files of a workspace, after a number of entries.
    #[serde(rename = "o")]
    Offset {
        /// The number of entries to skip.
        #[serde(rename = "n")]
        skipped: u64,
    },
    /// In the files of a snapshot.
    #[serde(rename = "t")]
    Tree {
        /// Path of the last entry returned, in base64.
        #[serde(rename = "a")]
        after: String,
        /// The last line returned from that file. None if the whole file was searched.
        #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
        line: Option<u64>,
    },
}

impl Cursor {
    /// The cursor as callers see it.
    ///
    /// # Errors
    /// `INTERNAL` if it does not serialize: a bug.
    pub fn encode(&self) -> Result<String> {
        serde_json::to_vec(self)
            .map(|bytes| URL_SAFE_NO_PAD.encode(bytes))
            .map_err(|error| Error::internal(error.to_string()))
    }

    /// Parses a cursor.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any text that is not a cursor.
    pub fn decode(text: &str) -> Result<Self> {
        let malformed = || {
            Error::invalid(
                "cursor",
                "is not one that this list returned; leave it out to start over",
            )
        };
        if text.len() > CURSOR_MAX_BYTES {
            return Err(malformed());
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok().ok_or_else(malformed)?;
        parse_own("a cursor", &bytes)
            .map_err(|error| malformed().with_cause(error.cause.unwrap_or_default()))
    }
}

/// A page of a catalogue: its newest rows, or those older than the previous page.
#[derive(Debug, Clone, Copy)]
pub struct RowPage {
    limit: u32,
    /// Only rows older than this sequence number.
    pub before_seq: Option<i64>,
}

impl RowPage {
    /// The page that a caller requests.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a limit of 0, or another list's cursor.
    pub fn parse(limit: Option<u32>, max: u32, cursor: Option<&str>) -> Result<Self> {
        let before_seq = match cursor.map(Cursor::decode).transpose()? {
            None => None,
            Some(Cursor::Catalogue { before_seq }) => Some(before_seq),
            Some(_) => return Err(Error::invalid("cursor", "is not one that this list returned")),
        };
        Ok(Self::new(page_size(limit, max)?, before_seq))
    }

    /// A page of at most `limit` rows.
    #[must_use]
    pub const fn new(limit: u32, before_seq: Option<i64>) -> Self {
        Self { limit, before_seq }
    }

    /// One more row than the page shows, to find out whether a next page exists.
    #[must_use]
    pub const fn rows_to_read(&self) -> u32 {
        self.limit + 1
    }

    /// Cuts the rows to the page. Returns the next page's cursor, if any.
    ///
    /// # Errors
    /// As [`Cursor::encode`].
    pub fn cut<T>(&self, rows: &mut Vec<T>, seq: impl Fn(&T) -> i64) -> Result<Option<String>> {
        let more = rows.len() > self.limit as usize;
        rows.truncate(self.limit as usize);
        let last = rows.last().filter(|_| more);
        last.map(|last| Cursor::Catalogue { before_seq: seq(last) }.encode()).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn limits_are_clamped_from_above() {
        assert_eq!(page_size(None, 100).unwrap(), 100);
        assert_eq!(page_size(Some(7), 100).unwrap(), 7);
        assert_eq!(page_size(Some(u32::MAX), 100).unwrap(), 100);
        assert!(page_size(Some(0), 100).unwrap_err().message.contains("limit"));
    }

    #[test]
    fn a_page_leads_on_only_where_rows_are_left() {
        let page = RowPage::parse(Some(2), 100, None).unwrap();
        assert_eq!((page.rows_to_read(), page.before_seq), (3, None));
        let mut rows = vec![9, 8, 7];
        let next = page.cut(&mut rows, |seq| *seq).unwrap();
        assert_eq!(rows, [9, 8]);
        let next = RowPage::parse(Some(2), 100, next.as_deref()).unwrap();
        assert_eq!(next.before_seq, Some(8));
        let mut rows = vec![7, 6];
        assert_eq!(next.cut(&mut rows, |seq| *seq).unwrap(), None, "a full page may be the last");
        let foreign = Cursor::Bucket { r2: "x".to_owned() }.encode().unwrap();
        assert!(RowPage::parse(None, 100, Some(&foreign)).is_err());
    }

    #[test]
    fn cursor_format_unchanged() {
        let cursor = Cursor::Catalogue { before_seq: 42 };
        assert_eq!(cursor.encode().unwrap(), "eyJjIjp7InMiOjQyfX0");
        assert_eq!(Cursor::decode("eyJjIjp7InMiOjQyfX0").unwrap(), cursor);
        for (cursor, json) in [
            (Cursor::Sessions { after: SessionId::parse("a").unwrap() }, r#"{"d":{"a":"a"}}"#),
            (Cursor::Offset { skipped: 7 }, r#"{"o":{"n":7}}"#),
            (Cursor::Buckets { binding: "B".to_owned(), r2: None }, r#"{"p":{"n":"B"}}"#),
            (
                Cursor::Buckets { binding: "B".to_owned(), r2: Some("x".to_owned()) },
                r#"{"p":{"n":"B","r":"x"}}"#,
            ),
        ] {
            assert_eq!(URL_SAFE_NO_PAD.decode(cursor.encode().unwrap()).unwrap(), json.as_bytes());
            assert_eq!(Cursor::decode(&cursor.encode().unwrap()).unwrap(), cursor);
        }
    }

    proptest! {
        #[test]
        fn cursors_read_back(before_seq in any::<i64>(), r2 in ".{0,80}") {
            for cursor in [Cursor::Catalogue { before_seq }, Cursor::Bucket { r2 }] {
                prop_assert_eq!(Cursor::decode(&cursor.encode().unwrap()).unwrap(), cursor);
            }
        }

        #[test]
        fn any_text_is_a_cursor_or_an_error(text in ".{0,80}") {
            let _ = Cursor::decode(&text);
        }
    }
}
