//! An object's stored attributes, and their headers in answers.

use crate::domain::limits::BUCKET_METADATA_MAX_BYTES;
use crate::domain::s3::conditions::http_date;
use crate::domain::s3::error::{Code, Result, S3Error};
use crate::domain::s3::request::RequestHead;
use std::collections::BTreeMap;

/// Prefix of the client's own attributes.
pub const CUSTOM: &str = "x-amz-meta-";
/// Promises that R2's binding can't keep. A final hyphen stands for all headers that begin so.
const REFUSED: [&str; 5] = [
    "x-amz-server-side-encryption-customer-",
    "x-amz-object-lock-",
    "x-amz-tagging",
    "x-amz-website-redirect-location",
    "x-amz-write-offset-bytes",
];

/// Standard HTTP headers that R2 stores.
pub const STORED: [&str; 6] = [
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-type",
    "expires",
];

/// The attributes that are stored with an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Headers of [`STORED`], by name. `expires` has HTTP's date format.
    pub http: BTreeMap<String, String>,
    /// The client's own attributes, by name without `x-amz-meta-`.
    pub custom: BTreeMap<String, String>,
}

/// An object in the store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredObject {
    /// Size in bytes.
    pub size_bytes: u64,
    /// The ETag without quotes.
    pub etag: String,
    /// Upload time, in milliseconds since the epoch.
    pub uploaded_at_ms: i64,
    /// The stored attributes.
    pub attributes: Attributes,
}

impl Attributes {
    /// The attributes that a request stores.
    ///
    /// # Errors
    /// `NotImplemented` for headers that R2's binding can't keep; `MetadataTooLarge`.
    pub fn of(head: &RequestHead) -> Result<Self> {
        for name in REFUSED {
            let mut found = head.headers_from(name);
            if let Some((name, _)) = found.find(|(given, _)| name.ends_with('-') || *given == name)
            {
                return Err(S3Error::not_implemented(&format!("the header {name}")));
            }
        }
        if head.header("x-amz-server-side-encryption").is_some_and(|by| by != "AES256") {
            return Err(S3Error::not_implemented("encryption by a key of your own"));
        }
        let stored = STORED.into_iter().filter_map(|name| {
            let value = head.header(name)?;
            // The body's framing is not stored.
            let value = match name {
                "content-encoding" => without_framing(value),
                _ => value.to_owned(),
            };
            (!value.is_empty()).then(|| (name.to_owned(), value))
        });
        let custom = head.headers_from(CUSTOM).filter_map(|(name, value)| {
            Some((name.strip_prefix(CUSTOM)?.to_owned(), value.to_owned()))
        });
        let attributes = Self { http: stored.collect(), custom: custom.collect() };
        let all = attributes.http.iter().chain(&attributes.custom);
        if all.map(|(name, value)| name.len() + value.len()).sum::<usize>()
            > BUCKET_METADATA_MAX_BYTES
        {
            let message = format!("metadata has at most {BUCKET_METADATA_MAX_BYTES} bytes");
            return Err(S3Error::new(Code::MetadataTooLarge, message));
        }
        Ok(attributes)
    }
}

fn without_framing(encodings: &str) -> String {
    let encodings = encodings.split(',').map(str::trim);
    let kept = encodings.filter(|encoding| !encoding.eq_ignore_ascii_case("aws-chunked"));
    kept.collect::<Vec<_>>().join(",")
}

impl StoredObject {
    /// Headers of an answer about this object, except its length.
    #[must_use]
    pub fn headers(&self, overrides: &BTreeMap<String, String>) -> Vec<(String, String)> {
        let mut headers = vec![
            ("etag".to_owned(), quoted(&self.etag)),
            ("last-modified".to_owned(), http_date(self.uploaded_at_ms)),
            ("accept-ranges".to_owned(), "bytes".to_owned()),
        ];
        let mut http = self.attributes.http.clone();
        http.extend(overrides.clone());
        http.entry("content-type".to_owned())
            .or_insert_with(|| "application/octet-stream".to_owned());
        headers.extend(http);
        let custom = self.attributes.custom.iter();
        headers.extend(custom.map(|(name, value)| (format!("{CUSTOM}{name}"), value.clone())));
        headers
    }
}

/// An ETag in quotes.
#[must_use]
pub fn quoted(etag: &str) -> String {
    format!("\"{etag}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(headers: &[(&str, &str)]) -> Result<Attributes> {
        Attributes::of(&RequestHead::new("PUT", "/b/k", "", headers.iter().copied()))
    }

    #[test]
    fn headers_are_stored_and_come_back() {
        let attributes = of(&[
            ("Content-Type", "text/plain"),
            ("Content-Encoding", "aws-chunked, gzip"),
            ("X-Amz-Meta-Mtime", "1.5"),
            ("x-amz-acl", "private"),
            ("authorization", "AWS4"),
        ])
        .unwrap();
        let object = StoredObject { etag: "e".into(), attributes, ..StoredObject::default() };
        let overrides = [("content-type".to_owned(), "text/html".to_owned())].into();
        let headers = object.headers(&overrides);
        let value = |name: &str| headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
        assert_eq!(value("content-type"), Some("text/html"));
        assert_eq!(value("content-encoding"), Some("gzip"));
        assert_eq!(value("x-amz-meta-mtime"), Some("1.5"));
        assert_eq!(value("etag"), Some("\"e\""));
        assert_eq!(value("authorization"), None);
        assert!(of(&[("content-encoding", "aws-chunked")]).unwrap().http.is_empty());
    }

    #[test]
    fn promises_that_are_not_kept_are_refused() {
        for (name, value) in [
            ("x-amz-server-side-encryption-customer-key", "k"),
            ("x-amz-server-side-encryption", "aws:kms"),
            ("x-amz-object-lock-mode", "GOVERNANCE"),
            ("x-amz-tagging", "a=b"),
            ("x-amz-write-offset-bytes", "3"),
        ] {
            assert_eq!(of(&[(name, value)]).unwrap_err().code, Code::NotImplemented, "{name}");
        }
        assert!(of(&[("x-amz-server-side-encryption", "AES256")]).is_ok());
        assert!(of(&[("x-amz-tagging-directive", "COPY")]).is_ok());
        let long = "x".repeat(8_200);
        assert_eq!(of(&[("x-amz-meta-a", &long)]).unwrap_err().code, Code::MetadataTooLarge);
    }
}
