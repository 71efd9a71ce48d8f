//! Lists of objects, in both versions of S3's protocol.

use crate::domain::limits::BUCKET_LIST_MAX;
use crate::domain::s3::error::{Code, Result, S3Error};
use crate::domain::s3::request::check_key;
use crate::domain::s3::xml::Element;
use crate::domain::time::rfc3339;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::collections::BTreeMap;

/// What `encoding-type=url` leaves unchanged.
const PLAIN: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Sorts after all that can follow a prefix.
const LAST: char = char::MAX;

/// A request for a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListRequest {
    /// Whether this is `ListObjectsV2`.
    pub second: bool,
    /// The prefix of the listed keys.
    pub prefix: String,
    /// Keys that are equal up to this delimiter are listed as one common prefix.
    pub delimiter: Option<String>,
    /// Maximum keys and common prefixes of the page.
    pub max_keys: u32,
    /// Whether the answer percent-encodes keys.
    pub encodes: bool,
    /// R2's cursor.
    pub token: Option<String>,
    /// The key after which the list begins: `start-after`, or `marker` in the first version.
    pub after: Option<String>,
}

/// An object of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedObject {
    /// The object's key.
    pub key: String,
    /// The ETag, without quotes.
    pub etag: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Upload time, in milliseconds since the epoch.
    pub uploaded_at_ms: i64,
}

/// A page of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListPage {
    /// Objects, in the order of keys.
    pub objects: Vec<ListedObject>,
    /// Common prefixes, in order.
    pub prefixes: Vec<String>,
    /// R2's cursor, if there are more entries.
    pub cursor: Option<String>,
}

impl ListRequest {
    /// Takes a list's parameters out of a query.
    ///
    /// # Errors
    /// `InvalidArgument`.
    pub fn take(query: &mut BTreeMap<String, String>) -> Result<Self> {
        let invalid = |problem: &str| S3Error::new(Code::InvalidArgument, problem);
        let second = match query.remove("list-type").as_deref() {
            None => false,
            Some("2") => true,
            Some(_) => return Err(invalid("list-type must be 2")),
        };
        let max_keys = match query.remove("max-keys") {
            None => BUCKET_LIST_MAX,
            Some(text) => text.parse::<u32>().map_err(|error| {
                invalid("max-keys must be a number").with_cause(error.to_string())
            })?,
        };
        let encodes = match query.remove("encoding-type").as_deref() {
            None => false,
            Some("url") => true,
            Some(_) => return Err(invalid("encoding-type must be url")),
        };
        // Clients send empty parameters for values that they do not set.
        let mut text = |name: &str| query.remove(name).filter(|value| !value.is_empty());
        let request = Self {
            second,
            prefix: text("prefix").unwrap_or_default(),
            delimiter: text("delimiter"),
            max_keys: max_keys.min(BUCKET_LIST_MAX),
            encodes,
            token: if second { text("continuation-token") } else { None },
            after: if second { text("start-after") } else { text("marker") },
        };
        query.remove("fetch-owner");
        let optional = [&request.delimiter, &request.after];
        for text in std::iter::once(&request.prefix).chain(optional.into_iter().flatten()) {
            check_key(text)?;
        }
        Ok(request)
    }

    /// The key after which the store begins.
    #[must_use]
    pub fn start_after(&self) -> Option<String> {
        let mut after = self.after.clone().filter(|_| self.token.is_none())?;
        // In the first version, a page may end with a common prefix. The next one skips it.
        if !self.second && self.is_common_prefix(&after) {
            after.push(LAST);
        }
        Some(after)
    }

    /// Whether this list groups keys under `text`: its first delimiter after the list's own prefix
    /// is its end. Otherwise a marker is an object, such as `dir/` in a list of `dir/`.
    fn is_common_prefix(&self, text: &str) -> bool {
        let rest = text.strip_prefix(self.prefix.as_str()).zip(self.delimiter.as_deref());
        rest.is_some_and(|(rest, end)| {
            rest.split_once(end).is_some_and(|(_, below)| below.is_empty())
        })
    }

    /// The answer to this request.
    #[must_use]
    pub fn answer(&self, bucket: &str, page: &ListPage) -> String {
        let coded = |text: &str| {
            if self.encodes {
                utf8_percent_encode(text, PLAIN).to_string()
            } else {
                text.to_owned()
            }
        };
        let truncated = page.cursor.is_some();
        let after = self.after.as_deref().map(coded);
        let mut list = Element::new("ListBucketResult")
            .text("Name", bucket)
            .text("Prefix", &coded(&self.prefix))
            .maybe("Delimiter", self.delimiter.as_deref().map(coded).as_deref())
            .text("MaxKeys", &self.max_keys.to_string())
            .maybe("EncodingType", self.encodes.then_some("url"))
            .text("IsTruncated", if truncated { "true" } else { "false" });
        list = if self.second {
            list.text("KeyCount", &(page.objects.len() + page.prefixes.len()).to_string())
                .maybe("ContinuationToken", self.token.as_deref())
                .maybe("NextContinuationToken", page.cursor.as_deref())
                .maybe("StartAfter", after.as_deref())
        } else {
            let keys = page.objects.iter().map(|object| object.key.as_str());
            let last = keys.chain(page.prefixes.iter().map(String::as_str)).max();
            list.text("Marker", after.as_deref().unwrap_or_default())
                .maybe("NextMarker", last.filter(|_| truncated).map(coded).as_deref())
        };
        let objects = page.objects.iter().map(|object| {
            Element::new("Contents")
                .text("Key", &coded(&object.key))
                .text("LastModified", &rfc3339(object.uploaded_at_ms))
                .text("ETag", &format!("\"{}\"", object.etag))
                .text("Size", &object.size_bytes.to_string())
                .text("StorageClass", "STANDARD")
        });
        let prefixes = page.prefixes.iter();
        let prefixes =
            prefixes.map(|prefix| Element::new("CommonPrefixes").text("Prefix", &coded(prefix)));
        list.children(objects).children(prefixes).document()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(query: &[(&str, &str)]) -> Result<ListRequest> {
        let mut query = query.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        ListRequest::take(&mut query)
    }

    fn page(cursor: Option<&str>) -> ListPage {
        let object = |key: &str| ListedObject {
            key: key.into(),
            etag: "e".into(),
            size_bytes: 3,
            uploaded_at_ms: 1_800_000_000_000,
        };
        ListPage {
            objects: vec![object("a b+\n<"), object("c")],
            prefixes: vec!["d/".into()],
            cursor: cursor.map(Into::into),
        }
    }

    #[test]
    fn parameters_are_read_once() {
        let list = take(&[("list-type", "2"), ("max-keys", "5000"), ("delimiter", "")]).unwrap();
        assert_eq!((list.second, list.max_keys, list.delimiter), (true, 1_000, None));
        for query in [("list-type", "1"), ("max-keys", "-1"), ("encoding-type", "x")] {
            assert_eq!(take(&[query]).unwrap_err().code, Code::InvalidArgument, "{query:?}");
        }
    }

    #[test]
    fn a_page_of_the_second_version() {
        let query = [("list-type", "2"), ("encoding-type", "url"), ("start-after", "a/")];
        let list = take(&query).unwrap();
        assert_eq!(list.start_after().as_deref(), Some("a/"));
        let text = list.answer("B", &page(Some("t")));
        for expected in [
            "<KeyCount>3</KeyCount>",
            "<IsTruncated>true</IsTruncated>",
            "<NextContinuationToken>t</NextContinuationToken>",
            "<Contents><Key>a%20b%2B%0A%3C</Key><LastModified>2027-01-15T08:00:00",
            "<ETag>&quot;e&quot;</ETag><Size>3</Size>",
            "<CommonPrefixes><Prefix>d/</Prefix></CommonPrefixes></ListBucketResult>",
        ] {
            assert!(text.contains(expected), "{expected} in {text}");
        }
    }

    #[test]
    fn a_page_of_the_first_version_leads_to_the_next() {
        let list = take(&[("delimiter", "/"), ("marker", "d/")]).unwrap();
        assert_eq!(list.start_after(), Some(format!("d/{}", char::MAX)));
        let text = list.answer("B", &page(Some("t")));
        assert!(text.contains("<NextMarker>d/</NextMarker>"), "{text}");
        assert!(text.contains("<Key>a b+&#xa;&lt;</Key>"), "{text}");
        assert!(!list.answer("B", &page(None)).contains("NextMarker"));
        assert_eq!(take(&[("marker", "d/")]).unwrap().start_after().as_deref(), Some("d/"));
    }

    #[test]
    fn a_marker_that_is_an_object_skips_nothing_below_it() {
        let after = |prefix: &str, marker: &str| {
            let query = [("delimiter", "/"), ("prefix", prefix), ("marker", marker)];
            take(&query).unwrap().start_after().unwrap()
        };
        // A program may have made an object for the directory itself.
        assert_eq!(after("dir/", "dir/"), "dir/");
        assert_eq!(after("dir/", "other/"), "other/");
        assert_eq!(after("dir/", "dir/a"), "dir/a");
        assert_eq!(after("", "dir/sub/"), "dir/sub/");
        for (prefix, marker) in [("dir/", "dir/sub/"), ("dir", "dir/"), ("", "dir/")] {
            assert_eq!(after(prefix, marker), format!("{marker}{}", char::MAX));
        }
    }
}
