//! Answers of other S3 services. Their texts are not passed on: they may contain the access key,
//! and the text that was signed.

use crate::domain::limits::{BUCKET_KEY_MAX_BYTES, BUCKET_LIST_MAX};
use crate::domain::s3::attributes::{Attributes, CUSTOM, STORED, StoredObject};
use crate::domain::s3::conditions::{bare_etag, parse_http_date};
use crate::domain::s3::error::{AFTER_END, Code, NO_SUCH_KEY, Result, S3Error};
use crate::domain::s3::listing::{ListPage, ListedObject};
use crate::domain::s3::xml::{Event, read};
use chrono::DateTime;
use percent_encoding::percent_decode_str;
use std::collections::BTreeMap;

const PASSED_ON: [(Code, &str); 20] = [
    (Code::BadDigest, "the body does not match its digest"),
    (Code::EntityTooLarge, "the object is too large"),
    (Code::EntityTooSmall, "a part other than the last is too small"),
    (Code::IncompleteBody, "the body broke off"),
    (Code::InvalidArgument, "the service does not take this request"),
    (Code::InvalidDigest, "the service can't read a digest"),
    (Code::InvalidPart, "a part was not uploaded, or has another ETag"),
    (Code::InvalidPartOrder, "the parts must be in ascending order"),
    (Code::InvalidRange, AFTER_END),
    (Code::InvalidRequest, "the service does not take this request"),
    (Code::KeyTooLongError, "the key is too long"),
    (Code::MetadataTooLarge, "the metadata is too large"),
    (Code::MethodNotAllowed, "the service does not allow this"),
    (Code::NoSuchBucket, "the service has no such bucket"),
    (Code::NoSuchKey, NO_SUCH_KEY),
    (Code::NoSuchUpload, "the upload is unknown, completed or aborted"),
    (Code::NotImplemented, "the service does not support this request"),
    (Code::PreconditionFailed, "a condition of the request does not hold"),
    (Code::ServiceUnavailable, "the service is not available"),
    (Code::SlowDown, "the service wants fewer requests"),
];
/// Codes that mean wrong credentials.
const CREDENTIALS: [&str; 6] = [
    "AuthorizationHeaderMalformed",
    "ExpiredToken",
    "InvalidAccessKeyId",
    "InvalidToken",
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
];

/// The error in an answer. Its document may be empty.
#[must_use]
pub fn error_of(status: u16, document: &[u8]) -> S3Error {
    let code = text_of(document, &["Error", "Code"]).unwrap_or_default();
    let code: String = code.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    let known = PASSED_ON.iter().find(|(known, _)| known.parts().1 == code);
    let (own, message) = match (known, status) {
        (Some(known), _) => *known,
        _ if CREDENTIALS.contains(&code.as_str()) => {
            (Code::AccessDenied, "the service refuses the session's credentials")
        }
        (None, 300..=399) => {
            (Code::InvalidRequest, "the service redirects: check endpoint and region")
        }
        (None, 401 | 403) => (Code::AccessDenied, "the service denies access"),
        (None, 404) => (Code::NoSuchKey, NO_SUCH_KEY),
        (None, 405) => (Code::MethodNotAllowed, "the service does not allow this"),
        (None, 409) => (Code::SlowDown, "the service is busy with another write of the key"),
        (None, 412) => (Code::PreconditionFailed, "a condition of the request does not hold"),
        (None, 416) => (Code::InvalidRange, AFTER_END),
        (None, 429) => (Code::SlowDown, "the service wants fewer requests"),
        (None, 501) => (Code::NotImplemented, "the service does not support this request"),
        (None, 400..=499) => (Code::InvalidRequest, "the service does not take this request"),
        (None, _) => (Code::ServiceUnavailable, "the service does not respond as it should"),
    };
    S3Error::new(own, message).with_cause(format!("the service answered {status} {code}"))
}

/// Finds an error document that comes late, with status 200.
///
/// # Errors
/// The document's error.
pub fn check_late(document: &[u8]) -> Result<()> {
    match text_of(document, &["Error", "Code"]) {
        Some(_) => Err(error_of(200, document)),
        None => Ok(()),
    }
}

/// The text of the first element with this path.
#[must_use]
pub fn text_of(document: &[u8], wanted: &[&str]) -> Option<String> {
    let mut found = None;
    let whole = read(document, |path, event| {
        if let (true, Event::Text(text), None) = (path == wanted, event, &found) {
            found = Some(text);
        }
        Ok(())
    });
    whole.ok().and(found)
}

/// The error for an answer that breaks S3's protocol.
#[must_use]
pub fn unexpected(what: &str) -> S3Error {
    S3Error::new(Code::InternalError, "the service does not answer as S3 does").with_cause(what)
}

/// The object that the headers describe.
#[must_use]
pub fn object_of(headers: &BTreeMap<String, String>, size_bytes: u64) -> StoredObject {
    let header = |name: &str| headers.get(name).cloned();
    let http = STORED.into_iter().filter_map(|name| Some((name.to_owned(), header(name)?)));
    let custom = headers
        .iter()
        .filter_map(|(name, value)| Some((name.strip_prefix(CUSTOM)?.to_owned(), value.clone())));
    StoredObject {
        size_bytes,
        etag: etag_of(headers),
        uploaded_at_ms: header("last-modified").and_then(|at| parse_http_date(&at)).unwrap_or(0),
        attributes: Attributes { http: http.collect(), custom: custom.collect() },
    }
}

/// The `ETag`, without quotes.
#[must_use]
pub fn etag_of(headers: &BTreeMap<String, String>) -> String {
    headers.get("etag").map_or("", |etag| bare_etag(etag)).to_owned()
}

/// Parses a `ListBucketResult`.
///
/// # Errors
/// `InternalError` if the document is not such a list.
pub fn page_of(document: &[u8]) -> Result<ListPage> {
    const ROOT: &str = "ListBucketResult";
    let (mut page, mut is_root) = (ListPage::default(), false);
    let (mut token, mut truncated, mut encoded) = (None, false, false);
    let empty =
        ListedObject { key: String::new(), etag: String::new(), size_bytes: 0, uploaded_at_ms: 0 };
    let mut object = empty.clone();
    read(document, |path, event| {
        is_root |= path.first() == Some(&ROOT);
        match (path, event) {
            ([ROOT, "Contents"], Event::Begin) => object = empty.clone(),
            ([ROOT, "Contents"], Event::End) => page.objects.push(object.clone()),
            ([ROOT, "Contents", field], Event::Text(text)) => match *field {
                "Key" => object.key = text,
                "ETag" => bare_etag(&text).clone_into(&mut object.etag),
                "Size" => object.size_bytes = text.trim().parse().unwrap_or(0),
                "LastModified" => {
                    let at = DateTime::parse_from_rfc3339(text.trim());
                    object.uploaded_at_ms = at.map_or(0, |at| at.timestamp_millis());
                }
                _ => {}
            },
            ([ROOT, "CommonPrefixes", "Prefix"], Event::Text(text)) => page.prefixes.push(text),
            ([ROOT, "NextContinuationToken"], Event::Text(text)) => token = Some(text),
            ([ROOT, "IsTruncated"], Event::Text(text)) => truncated = text.trim() == "true",
            ([ROOT, "EncodingType"], Event::Text(text)) => encoded = text.trim() == "url",
            _ => {}
        }
        Ok(())
    })
    .map_err(|error| unexpected(&error.message))?;
    if !is_root {
        return Err(unexpected("a list is not a ListBucketResult"));
    }
    page.cursor = token.filter(|_| truncated);
    if truncated && page.cursor.is_none() {
        return Err(unexpected("a truncated list has no continuation token"));
    }
    if encoded {
        for object in &mut page.objects {
            object.key = decoded(&object.key)?;
        }
        for prefix in &mut page.prefixes {
            *prefix = decoded(prefix)?;
        }
    }
    // These texts become several times as long in our own answer.
    let texts = page.objects.iter().flat_map(|object| [&object.key, &object.etag]);
    let is_long = |text: &String| text.len() > BUCKET_KEY_MAX_BYTES;
    if page.objects.len() + page.prefixes.len() > BUCKET_LIST_MAX as usize
        || texts.chain(&page.prefixes).any(is_long)
    {
        return Err(unexpected("a list has more or longer keys than S3 allows"));
    }
    Ok(page)
}

fn decoded(text: &str) -> Result<String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8();
    Ok(decoded.map_err(|error| unexpected(&error.to_string()))?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_keeps_its_code_and_nothing_else() {
        let document = |code: &str| {
            format!(
                "<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>AKIA123 is wrong</Message><AWSAccessKeyId>AKIA123</AWSAccessKeyId><StringToSign>AKIA123</StringToSign></Error>"
            )
        };
        for (status, code, own) in [
            (404, "NoSuchKey", Code::NoSuchKey),
            (404, "NoSuchBucket", Code::NoSuchBucket),
            (403, "SignatureDoesNotMatch", Code::AccessDenied),
            (400, "ExpiredToken", Code::AccessDenied),
            (403, "AKIA", Code::AccessDenied),
            (412, "PreconditionFailed", Code::PreconditionFailed),
            (409, "ConditionalRequestConflict", Code::SlowDown),
            (307, "TemporaryRedirect", Code::InvalidRequest),
            (503, "SlowDown", Code::SlowDown),
            (500, "InternalError", Code::ServiceUnavailable),
        ] {
            let error = error_of(status, document(code).as_bytes());
            assert_eq!(error.code, own, "{status} {code}");
            assert!(!format!("{error:?}").contains("AKIA123"), "{error:?}");
        }
        for document in [b"".as_slice(), b"<html>", b"\xff", b"<Error><Code>x"] {
            assert_eq!(error_of(403, document).code, Code::AccessDenied);
            assert_eq!(error_of(200, document).code, Code::ServiceUnavailable);
        }
        assert!(check_late(document("SlowDown").as_bytes()).is_err());
        assert!(check_late(b"<CompleteMultipartUploadResult/>").is_ok());
    }

    #[test]
    fn lists_are_read() {
        let document = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>b</Name><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><NextContinuationToken>t/+=</NextContinuationToken><Contents><Key>a+b%2B%20%C3%A9</Key><LastModified>2027-01-15T08:00:00.000Z</LastModified><ETag>&quot;e&quot;</ETag><Size>3</Size><Owner><ID>x</ID></Owner></Contents><Contents><Key>c</Key></Contents><CommonPrefixes><Prefix>d%2F</Prefix></CommonPrefixes></ListBucketResult>";
        let page = page_of(document.as_bytes()).unwrap();
        let object = ListedObject {
            key: "a b+ é".into(),
            etag: "e".into(),
            size_bytes: 3,
            uploaded_at_ms: 1_800_000_000_000,
        };
        assert_eq!(page.objects.first(), Some(&object));
        assert_eq!(page.objects.len(), 2);
        assert_eq!(page.prefixes, ["d/"]);
        assert_eq!(page.cursor.as_deref(), Some("t/+="));
        let plain = document.replace("<EncodingType>url</EncodingType>", "");
        let page = page_of(plain.replace("true", "false").as_bytes()).unwrap();
        assert_eq!((page.prefixes, page.cursor), (vec!["d%2F".to_owned()], None));
        for other in ["<html></html>", "<Error/>", "", "{}"] {
            assert_eq!(page_of(other.as_bytes()).unwrap_err().code, Code::InternalError, "{other}");
        }
    }

    #[test]
    fn only_headers_of_objects_are_kept() {
        let headers = [
            ("etag", "\"e\""),
            ("last-modified", "Fri, 15 Jan 2027 08:00:00 GMT"),
            ("content-type", "text/plain"),
            ("x-amz-meta-who", "me"),
            ("x-amz-request-id", "1"),
            ("set-cookie", "a=b"),
            ("server", "x"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let object = object_of(&headers, 3);
        assert_eq!((object.etag.as_str(), object.uploaded_at_ms), ("e", 1_800_000_000_000));
        assert_eq!(object.attributes.http.len(), 1);
        assert_eq!(object.attributes.custom.len(), 1);
    }
}
