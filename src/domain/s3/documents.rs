//! XML documents from clients.

use crate::domain::limits::{BUCKET_LIST_MAX, BUCKET_PARTS_MAX};
use crate::domain::s3::conditions::bare_etag;
use crate::domain::s3::error::{Code, Result, S3Error};
use crate::domain::s3::request::check_key;
use crate::domain::s3::xml::{Event, malformed, read};

/// Objects to delete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeleteList {
    /// The keys of the objects, at most 1,000.
    pub keys: Vec<String>,
    /// Whether the answer lists only failures.
    pub quiet: bool,
}

impl DeleteList {
    /// Parses the body of `DeleteObjects`.
    ///
    /// # Errors
    /// `MalformedXML`, `KeyTooLongError`; `NotImplemented` for versions and conditions.
    pub fn parse(body: &[u8]) -> Result<Self> {
        let mut list = Self::default();
        let mut key = None;
        read(body, |path, event| {
            match (path, event) {
                (["Delete", "Quiet"], Event::Text(text)) => list.quiet = text.trim() == "true",
                (["Delete", "Object"], Event::Begin) => key = None,
                (["Delete", "Object", "Key"], Event::Text(text)) => {
                    check_key(&text)?;
                    key = Some(text);
                }
                (["Delete"] | ["Delete", "Quiet"] | ["Delete", "Object", "Key"], _)
                | (["Delete", "Object", _], Event::Begin) => {}
                (["Delete", "Object"], Event::End | Event::Text(_)) => {
                    let key = key.take().filter(|key| !key.is_empty());
                    list.keys.push(key.ok_or_else(|| malformed("an object has no key"))?);
                    if list.keys.len() > BUCKET_LIST_MAX as usize {
                        return Err(malformed(&format!("it has more than {BUCKET_LIST_MAX} keys")));
                    }
                }
                (["Delete", "Object", other], _) => {
                    return Err(S3Error::not_implemented(&format!(
                        "{other} of an object to delete"
                    )));
                }
                _ => return Err(malformed("its root element is not Delete")),
            }
            Ok(())
        })?;
        if list.keys.is_empty() {
            return Err(malformed("it names no object"));
        }
        Ok(list)
    }
}

/// An uploaded part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartDone {
    /// The part's number.
    pub number: u16,
    /// The part's ETag, without quotes.
    pub etag: String,
}

/// Parses the body of `CompleteMultipartUpload`.
///
/// # Errors
/// `MalformedXML`, `InvalidPartOrder`.
pub fn completed_parts(body: &[u8]) -> Result<Vec<PartDone>> {
    const ROOT: &str = "CompleteMultipartUpload";
    let mut parts: Vec<PartDone> = Vec::new();
    let (mut number, mut etag) = (None, None);
    read(body, |path, event| {
        if path.first() != Some(&ROOT) {
            return Err(malformed("its root element is not CompleteMultipartUpload"));
        }
        match (path, event) {
            ([_, "Part"], Event::Begin) => (number, etag) = (None, None),
            ([_, "Part", "PartNumber"], Event::Text(text)) => number = text.trim().parse().ok(),
            ([_, "Part", "ETag"], Event::Text(text)) => etag = Some(bare_etag(&text).to_owned()),
            ([_, "Part"], Event::End | Event::Text(_)) => {
                let (Some(number), Some(etag)) = (number.take(), etag.take()) else {
                    return Err(malformed("a part has no PartNumber or ETag"));
                };
                if parts.last().is_some_and(|last| last.number >= number) {
                    let message = "the parts must be in ascending order";
                    return Err(S3Error::new(Code::InvalidPartOrder, message));
                }
                if parts.len() >= usize::from(BUCKET_PARTS_MAX) {
                    return Err(malformed("it has too many parts"));
                }
                parts.push(PartDone { number, etag });
            }
            // The digest of each part was checked during its upload.
            _ => {}
        }
        Ok(())
    })?;
    if parts.is_empty() {
        return Err(malformed("it names no part"));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_to_delete_are_read() {
        let list = DeleteList::parse(b"<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Object><Key>a/b</Key></Object><Object><Key>c &amp; d</Key></Object><Quiet>true</Quiet></Delete>").unwrap();
        assert_eq!(list, DeleteList { keys: vec!["a/b".into(), "c & d".into()], quiet: true });
        let many = format!("<Delete>{}</Delete>", "<Object><Key>k</Key></Object>".repeat(1_001));
        for (body, code) in [
            ("<Delete></Delete>", Code::MalformedXml),
            ("<Delete><Object></Object></Delete>", Code::MalformedXml),
            ("<Delete><Object/></Delete>", Code::MalformedXml),
            ("<Delete><Object><Key></Key></Object></Delete>", Code::MalformedXml),
            ("<Other><Object><Key>k</Key></Object></Other>", Code::MalformedXml),
            (
                "<Delete><Object><Key>k</Key><VersionId>1</VersionId></Object></Delete>",
                Code::NotImplemented,
            ),
            ("<Delete><Object><Key>k</Key><ETag>1</ETag></Object></Delete>", Code::NotImplemented),
            (many.as_str(), Code::MalformedXml),
        ] {
            assert_eq!(DeleteList::parse(body.as_bytes()).unwrap_err().code, code, "{body}");
        }
    }

    #[test]
    fn parts_are_read_in_their_order() {
        let part = |number: u32| {
            format!(
                "<Part><PartNumber>{number}</PartNumber><ETag>&quot;e{number}&quot;</ETag><ChecksumCRC32>x</ChecksumCRC32></Part>"
            )
        };
        let document = |parts: &str| {
            let document = format!("<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>");
            completed_parts(document.as_bytes()).map_err(|error| error.code)
        };
        let done = |number| PartDone { number, etag: format!("e{number}") };
        assert_eq!(document(&(part(1) + &part(3))), Ok(vec![done(1), done(3)]));
        assert_eq!(document(&(part(3) + &part(1))), Err(Code::InvalidPartOrder));
        assert_eq!(document(&(part(1) + &part(1))), Err(Code::InvalidPartOrder));
        assert_eq!(document(&part(70_000)), Err(Code::MalformedXml));
        assert_eq!(document("<Part><PartNumber>1</PartNumber></Part>"), Err(Code::MalformedXml));
        assert_eq!(document(""), Err(Code::MalformedXml));
    }
}
