//! Conditions of requests, and dates in HTTP's format.

use crate::domain::s3::error::{Code, S3Error};
use crate::domain::s3::request::RequestHead;
use chrono::{DateTime, NaiveDateTime};

const HTTP_DATE: &str = "%a, %d %b %Y %H:%M:%S GMT";
/// Prefixes of conditional headers.
const CONDITIONS: [&str; 5] = [
    "if-match",
    "if-none-match",
    "if-modified-since",
    "if-unmodified-since",
    // On the size, the time, and the start of an upload.
    "x-amz-if-match-",
];

/// A time in HTTP's format.
#[must_use]
pub fn http_date(at_ms: i64) -> String {
    DateTime::from_timestamp_millis(at_ms).unwrap_or_default().format(HTTP_DATE).to_string()
}

/// Parses a time in HTTP's format.
#[must_use]
pub fn parse_http_date(text: &str) -> Option<i64> {
    Some(NaiveDateTime::parse_from_str(text, HTTP_DATE).ok()?.and_utc().timestamp_millis())
}

/// The conditions of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// ETags without quotes. `*` matches any object.
    if_match: Option<Vec<String>>,
    if_none_match: Option<Vec<String>>,
    if_modified_since_ms: Option<i64>,
    if_unmodified_since_ms: Option<i64>,
}

impl Conditions {
    /// Reads headers after `prefix`, e.g. `x-amz-copy-source-`. As in HTTP, ignores invalid dates.
    #[must_use]
    pub fn of(head: &RequestHead, prefix: &str) -> Self {
        let header = |name: &str| head.header(&format!("{prefix}{name}"));
        let etags = |text: &str| text.split(',').map(|etag| bare_etag(etag).to_owned()).collect();
        Self {
            if_match: header("if-match").map(etags),
            if_none_match: header("if-none-match").map(etags),
            if_modified_since_ms: header("if-modified-since").and_then(parse_http_date),
            if_unmodified_since_ms: header("if-unmodified-since").and_then(parse_http_date),
        }
    }

    /// Checks the conditions for reading an object.
    ///
    /// # Errors
    /// `PreconditionFailed`, or `NotModified` if the caller has this version.
    pub fn check(&self, etag: &str, uploaded_at_ms: i64) -> Result<(), S3Error> {
        let has = |etags: &[String]| etags.iter().any(|known| known == etag || known == "*");
        // HTTP's dates have whole seconds.
        let uploaded_at_ms = uploaded_at_ms - uploaded_at_ms.rem_euclid(1_000);
        let failed = match &self.if_match {
            Some(etags) => !has(etags),
            None => self.if_unmodified_since_ms.is_some_and(|since| uploaded_at_ms > since),
        };
        if failed {
            return Err(precondition_failed());
        }
        let known = match &self.if_none_match {
            Some(etags) => has(etags),
            None => self.if_modified_since_ms.is_some_and(|since| uploaded_at_ms <= since),
        };
        if known { Err(S3Error::new(Code::NotModified, "it has not changed")) } else { Ok(()) }
    }

    /// The condition of a write.
    ///
    /// # Errors
    /// `NotImplemented` for conditions that S3 does not have.
    pub fn for_write(&self) -> Result<WriteCondition, S3Error> {
        let dates = self.if_modified_since_ms.is_some() || self.if_unmodified_since_ms.is_some();
        match (self.if_match.as_deref(), self.if_none_match.as_deref()) {
            (None, None) if !dates => Ok(WriteCondition::None),
            (Some([etag]), None) if !dates && etag != "*" => {
                Ok(WriteCondition::Matches(etag.clone()))
            }
            (None, Some([any])) if !dates && any == "*" => Ok(WriteCondition::Absent),
            _ => Err(S3Error::not_implemented("this condition of a write")),
        }
    }
}

/// Refuses conditions that R2's binding can't check: on deletions and completions of uploads.
///
/// # Errors
/// `NotImplemented` naming the condition.
pub fn check_unconditional(head: &RequestHead) -> Result<(), S3Error> {
    let mut found = CONDITIONS.into_iter().flat_map(|name| head.headers_from(name));
    match found.next() {
        None => Ok(()),
        Some((name, _)) => Err(S3Error::not_implemented(&format!("{name} of this request"))),
    }
}

/// Refuses expected owners and grants: the gateway knows no accounts.
///
/// # Errors
/// `NotImplemented`.
pub fn check_no_accounts(head: &RequestHead) -> Result<(), S3Error> {
    let names = ["x-amz-expected-bucket-owner", "x-amz-source-expected-bucket-owner"];
    let asks = names.into_iter().find(|name| head.header(name).is_some());
    let grants = || head.headers_from("x-amz-grant-").map(|(name, _)| name).next();
    if let Some(name) = asks.or_else(grants) {
        return Err(S3Error::not_implemented(&format!("the header {name}")));
    }
    match head.header("x-amz-acl") {
        // Clients send these by default.
        None | Some("private" | "bucket-owner-full-control") => Ok(()),
        Some(acl) => Err(S3Error::not_implemented(&format!("the ACL {acl}"))),
    }
}

/// The condition under which a write is done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum WriteCondition {
    /// No condition.
    #[default]
    None,
    /// No object exists yet.
    Absent,
    /// The object has this ETag.
    Matches(String),
}

/// The error for a condition that does not hold.
#[must_use]
pub fn precondition_failed() -> S3Error {
    S3Error::new(Code::PreconditionFailed, "a condition of the request does not hold")
}

/// An ETag without quotes.
#[must_use]
pub fn bare_etag(etag: &str) -> &str {
    let etag = etag.trim();
    let etag = etag.strip_prefix("W/").unwrap_or(etag);
    etag.strip_prefix('"').and_then(|etag| etag.strip_suffix('"')).unwrap_or(etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_MS: i64 = 1_800_000_000_123;

    fn outcome(headers: &[(&str, &str)]) -> Option<Code> {
        let head = RequestHead::new("GET", "/b/k", "", headers.iter().copied());
        Conditions::of(&head, "").check("abc", AT_MS).err().map(|error| error.code)
    }

    #[test]
    fn conditions_are_weighed_as_http_says() {
        let at = http_date(AT_MS);
        assert_eq!(at, "Fri, 15 Jan 2027 08:00:00 GMT");
        let before = http_date(AT_MS - 1_000);
        for (headers, expected) in [
            (vec![], None),
            (vec![("if-match", "\"abc\"")], None),
            (vec![("if-match", "*")], None),
            (vec![("if-match", "\"x\", \"abc\"")], None),
            (vec![("If-Match", "\"x\"")], Some(Code::PreconditionFailed)),
            (vec![("if-none-match", "\"abc\"")], Some(Code::NotModified)),
            (vec![("if-none-match", "W/\"abc\"")], Some(Code::NotModified)),
            (vec![("if-none-match", "\"x\"")], None),
            (vec![("if-modified-since", at.as_str())], Some(Code::NotModified)),
            (vec![("if-modified-since", before.as_str())], None),
            (vec![("if-unmodified-since", at.as_str())], None),
            (vec![("if-unmodified-since", before.as_str())], Some(Code::PreconditionFailed)),
            (vec![("if-unmodified-since", "yesterday")], None),
            // ETags take precedence over dates.
            (vec![("if-match", "abc"), ("if-unmodified-since", before.as_str())], None),
            (vec![("if-none-match", "x"), ("if-modified-since", at.as_str())], None),
        ] {
            assert_eq!(outcome(&headers), expected, "{headers:?}");
        }
    }

    #[test]
    fn writes_have_the_conditions_of_s3() {
        let write = |headers: &[(&str, &str)]| {
            let head = RequestHead::new("PUT", "/b/k", "", headers.iter().copied());
            Conditions::of(&head, "").for_write().map_err(|error| error.code)
        };
        assert_eq!(write(&[]), Ok(WriteCondition::None));
        assert_eq!(write(&[("if-none-match", "*")]), Ok(WriteCondition::Absent));
        assert_eq!(write(&[("if-match", "\"a\"")]), Ok(WriteCondition::Matches("a".into())));
        assert_eq!(write(&[("if-none-match", "\"a\"")]), Err(Code::NotImplemented));
        assert_eq!(write(&[("if-match", "*")]), Err(Code::NotImplemented));
        let dated = [("if-unmodified-since", "Fri, 15 Jan 2027 08:00:00 GMT")];
        assert_eq!(write(&dated), Err(Code::NotImplemented));
    }
}
