//! The head of a request: address and headers.

use crate::domain::limits::BUCKET_KEY_MAX_BYTES;
use crate::domain::s3::error::{Code, Result, S3Error};
use percent_encoding::percent_decode_str;
use std::collections::BTreeMap;

/// A request's head.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestHead {
    /// The method, e.g. `GET`.
    pub method: String,
    path: String,
    query: String,
    headers: BTreeMap<String, String>,
}

impl RequestHead {
    /// Path and query are percent-encoded, as sent. The query has no leading question mark.
    pub fn new<'a>(
        method: &str,
        path: &str,
        query: &str,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let headers = headers.into_iter();
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers: headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect(),
        }
    }

    /// A header, by its lowercase name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// The headers whose name begins with `prefix`.
    pub fn headers_from<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .filter(move |(name, _)| name.starts_with(prefix))
    }

    /// Bucket and key. Either may be empty.
    ///
    /// # Errors
    /// As [`address_of`].
    pub fn address(&self) -> Result<(String, String)> {
        address_of(&self.path)
    }

    /// The query's parameters.
    ///
    /// # Errors
    /// `InvalidArgument` for text that is not UTF-8.
    pub fn query(&self) -> Result<BTreeMap<String, String>> {
        let pairs = self.query.split('&').filter(|pair| !pair.is_empty());
        pairs
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                Ok((decoded(&name.replace('+', " "))?, decoded(&value.replace('+', " "))?))
            })
            .collect()
    }
}

/// Splits a percent-encoded `/bucket/key`.
///
/// # Errors
/// `InvalidArgument` for text that is not UTF-8; `KeyTooLongError`.
pub fn address_of(path: &str) -> Result<(String, String)> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
    let key = decoded(key)?;
    check_key(&key)?;
    Ok((decoded(bucket)?, key))
}

/// Checks a key's length.
///
/// # Errors
/// `KeyTooLongError`.
pub fn check_key(key: &str) -> Result<()> {
    if key.len() > BUCKET_KEY_MAX_BYTES {
        let message = format!("a key has at most {BUCKET_KEY_MAX_BYTES} bytes");
        return Err(S3Error::new(Code::KeyTooLongError, message));
    }
    Ok(())
}

/// Refuses segments `.` and `..` at services that take keys as paths: a URL would lose them, and a
/// service that keeps files may follow them.
///
/// # Errors
/// `InvalidArgument`.
pub fn check_segments(key: &str) -> Result<()> {
    if key.split('/').any(|segment| matches!(segment, "." | "..")) {
        let message = "a key with a segment . or .. is not reached at an endpoint";
        return Err(S3Error::new(Code::InvalidArgument, message));
    }
    Ok(())
}

fn decoded(text: &str) -> Result<String> {
    let decoded = percent_decode_str(text).decode_utf8().map_err(|error| {
        S3Error::new(Code::InvalidArgument, "the address is not UTF-8")
            .with_cause(error.to_string())
    })?;
    Ok(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_the_path_style() {
        let address = |path: &str| address_of(path).map_err(|error| error.code);
        let pair = |bucket: &str, key: &str| Ok((bucket.to_owned(), key.to_owned()));
        assert_eq!(address("/"), pair("", ""));
        assert_eq!(address("/b"), pair("b", ""));
        assert_eq!(address("/b/"), pair("b", ""));
        assert_eq!(address("/b/a%2Fb//c%20d+e%C3%A9"), pair("b", "a/b//c d+eé"));
        assert_eq!(address("/b%2Fc/k"), pair("b/c", "k"));
        assert_eq!(address("/b/%ff"), Err(Code::InvalidArgument));
        assert_eq!(address(&format!("/b/{}", "k".repeat(1_024))), pair("b", &"k".repeat(1_024)));
        assert_eq!(address(&format!("/b/{}", "k".repeat(1_025))), Err(Code::KeyTooLongError));
    }

    #[test]
    fn a_query_is_decoded() {
        let head = RequestHead::new("GET", "/b", "list-type=2&prefix=a%2Bb+c&uploads&&x=", []);
        let query = head.query().unwrap();
        assert_eq!(query.get("prefix").map(String::as_str), Some("a+b c"));
        assert_eq!(query.get("uploads").map(String::as_str), Some(""));
        assert_eq!(query.len(), 4);
    }
}
