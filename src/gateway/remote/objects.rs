//! [`ObjectStore`] over S3's own operations.

use crate::domain::s3::attributes::{Attributes, CUSTOM, StoredObject, quoted};
use crate::domain::s3::checksum::Algorithm;
use crate::domain::s3::conditions::{WriteCondition, bare_etag, parse_http_date};
use crate::domain::s3::documents::PartDone;
use crate::domain::s3::error::{Code, Result, S3Error};
use crate::domain::s3::listing::ListPage;
use crate::domain::s3::operation::PartOf;
use crate::domain::s3::range::ByteRange;
use crate::domain::s3::remote::answer::{
    check_late, error_of, etag_of, object_of, page_of, text_of, unexpected,
};
use crate::domain::s3::remote::request::RemoteRequest;
use crate::domain::s3::request::check_segments;
use crate::domain::s3::xml::Element;
use crate::gateway::body::Empty;
use crate::gateway::remote::{ReadAnswer, RemoteStore, whole};
use crate::ports::Bytes;
use crate::ports::bucket::objects::{FoundObject, ObjectStore, Put, StoreList, Written};
use crate::ports::bucket::service::{Sent, ServiceAnswer};
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::collections::BTreeMap;

#[async_trait(?Send)]
impl ObjectStore for RemoteStore {
    /// Services check different digests, so the gateway checks all of them itself.
    fn checks_digests(&self) -> bool {
        false
    }

    async fn head(&self, key: &str) -> Result<Option<StoredObject>> {
        match found(self.ask(self.request("HEAD", key), Sent::Nothing).await)? {
            Some(ReadAnswer { headers, .. }) => Ok(Some(object_of(&headers, length_of(&headers)?))),
            None => Ok(None),
        }
    }

    async fn get(&self, key: &str, range: Option<ByteRange>) -> Result<Option<FoundObject>> {
        let mut request = self.request("GET", key);
        if let Some(range) = range {
            request.headers.insert("range".to_owned(), range.header());
        }
        let ServiceAnswer { status, headers, body } = self.send(request, Sent::Nothing).await?;
        let mut body = body.unwrap_or_else(|| Box::new(Empty));
        if !matches!(status, 200 | 206) {
            return found(Err(error_of(status, &whole(body, 0).await?)));
        }
        match part_of(status, &headers, range) {
            Ok((size_bytes, offset_bytes, length_bytes)) => {
                let object = object_of(&headers, size_bytes);
                Ok(Some(FoundObject { object, offset_bytes, length_bytes, body }))
            }
            Err(error) => {
                body.cancel().await;
                Err(error)
            }
        }
    }

    async fn put(&self, key: &str, body: Bytes, put: &Put<'_>) -> Result<Written> {
        if put.expected.is_some() {
            return Err(S3Error::new(Code::InternalError, "a service checks no digest for us"));
        }
        let mut request = self.request("PUT", key);
        request.headers = headers_of(put.attributes);
        let condition = match put.condition {
            WriteCondition::None => None,
            WriteCondition::Absent => Some(("if-none-match", "*".to_owned())),
            WriteCondition::Matches(etag) => Some(("if-match", quoted(etag))),
        };
        request.headers.extend(condition.map(|(name, value)| (name.to_owned(), value)));
        let ReadAnswer { headers, .. } = self.ask(request, sent(body, put.length_bytes)).await?;
        let at = headers.get("date").and_then(|date| parse_http_date(date));
        let uploaded_at_ms = at.unwrap_or_else(|| self.clock.now_ms());
        Ok(Written { etag: etag_of(&headers), uploaded_at_ms })
    }

    async fn delete(&self, keys: &[String]) -> Result<()> {
        if let [key] = keys {
            return found(self.ask(self.request("DELETE", key), Sent::Nothing).await).map(drop);
        }
        let objects = keys.iter().map(|key| Element::new("Object").text("Key", key));
        let document = Element::new("Delete").text("Quiet", "true").children(objects).document();
        let mut request = self.request("POST", "");
        request.query.insert("delete", String::new());
        let mut digester = Algorithm::Md5.digester();
        digester.update(document.as_bytes());
        // S3 requires this header.
        request.headers.insert("content-md5".to_owned(), BASE64.encode(digester.finish()));
        let sent = Sent::Whole(document.into_bytes());
        let answer = self.ask_about(keys.len() as u64, request, sent).await?;
        match text_of(&answer.document, &["DeleteResult", "Error", "Code"]) {
            None => Ok(()),
            Some(code) => {
                let error = Element::new("Error").text("Code", &code).document();
                Err(error_of(403, error.as_bytes()))
            }
        }
    }

    async fn list(&self, list: &StoreList) -> Result<ListPage> {
        list.start_after.as_deref().map_or(Ok(()), check_segments)?;
        let mut request = self.request("GET", "");
        let fixed = [
            ("list-type", "2".to_owned()),
            ("encoding-type", "url".to_owned()),
            ("prefix", list.prefix.clone()),
            ("max-keys", list.limit.to_string()),
        ];
        request.query.extend(fixed);
        let optional = [
            ("delimiter", &list.delimiter),
            ("continuation-token", &list.cursor),
            ("start-after", &list.start_after),
        ];
        let optional =
            optional.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
        request.query.extend(optional);
        page_of(&self.ask_about(list.limit.into(), request, Sent::Nothing).await?.document)
    }

    async fn create_upload(&self, key: &str, attributes: &Attributes) -> Result<String> {
        let mut request = self.request("POST", key);
        request.query.insert("uploads", String::new());
        request.headers = headers_of(attributes);
        let answer = self.ask(request, Sent::Whole(Vec::new())).await?;
        text_of(&answer.document, &["InitiateMultipartUploadResult", "UploadId"])
            .filter(|id| !id.is_empty())
            .ok_or_else(|| unexpected("an upload without an id"))
    }

    async fn upload_part(
        &self,
        key: &str,
        part: &PartOf,
        body: Bytes,
        length_bytes: u64,
    ) -> Result<String> {
        let mut request = self.upload("PUT", key, &part.upload_id);
        request.query.insert("partNumber", part.number.to_string());
        let answer = self.ask(request, sent(body, length_bytes)).await?;
        Ok(etag_of(&answer.headers))
    }

    async fn complete_upload(
        &self,
        key: &str,
        upload_id: &str,
        parts: &[PartDone],
    ) -> Result<String> {
        let parts = parts.iter().map(|part| {
            Element::new("Part")
                .text("PartNumber", &part.number.to_string())
                .text("ETag", &quoted(&part.etag))
        });
        let document = Element::new("CompleteMultipartUpload").children(parts).document();
        let request = self.upload("POST", key, upload_id);
        let ReadAnswer { document, .. } =
            self.ask(request, Sent::Whole(document.into_bytes())).await?;
        check_late(&document)?;
        text_of(&document, &["CompleteMultipartUploadResult", "ETag"])
            .map(|etag| bare_etag(&etag).to_owned())
            .ok_or_else(|| unexpected("a completed upload without an ETag"))
    }

    async fn abort_upload(&self, key: &str, upload_id: &str) -> Result<()> {
        match self.ask(self.upload("DELETE", key, upload_id), Sent::Nothing).await {
            Err(error) if error.code == Code::NoSuchUpload => Ok(()),
            ended => ended.map(drop),
        }
    }
}

impl RemoteStore {
    fn upload(&self, method: &'static str, key: &str, upload_id: &str) -> RemoteRequest {
        let mut request = self.request(method, key);
        request.query.insert("uploadId", upload_id.to_owned());
        request
    }
}

/// None if the service has no such object.
fn found<T>(answer: Result<T>) -> Result<Option<T>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.code == Code::NoSuchKey => Ok(None),
        Err(error) => Err(error),
    }
}

fn sent(body: Bytes, length_bytes: u64) -> Sent {
    if length_bytes == 0 { Sent::Whole(Vec::new()) } else { Sent::Stream(body, length_bytes) }
}

fn headers_of(attributes: &Attributes) -> BTreeMap<String, String> {
    let custom = attributes.custom.iter();
    let custom = custom.map(|(name, value)| (format!("{CUSTOM}{name}"), value.clone()));
    attributes.http.clone().into_iter().chain(custom).collect()
}

fn length_of(headers: &BTreeMap<String, String>) -> Result<u64> {
    let length = headers.get("content-length").and_then(|length| length.parse().ok());
    length.ok_or_else(|| unexpected("an object without its length"))
}

/// The size of an object, and the offset and length of the part in an answer.
fn part_of(
    status: u16,
    headers: &BTreeMap<String, String>,
    asked: Option<ByteRange>,
) -> Result<(u64, u64, u64)> {
    if status == 200 {
        let size = length_of(headers)?;
        // A service may answer with the whole object if all of it was requested.
        let is_whole = asked.is_none_or(|range| range.within(size) == Some((0, size)));
        return if is_whole {
            Ok((size, 0, size))
        } else {
            Err(unexpected("no part of an object"))
        };
    }
    let range = headers.get("content-range").and_then(|range| range.strip_prefix("bytes "));
    let (part, size) = range.and_then(|range| range.split_once('/')).unwrap_or_default();
    let (first, last) = part.split_once('-').unwrap_or_default();
    let (Ok(size), Ok(first), Ok(last)) = (size.parse::<u64>(), first.parse(), last.parse::<u64>())
    else {
        return Err(unexpected("a part without its range"));
    };
    let part = (first, last.saturating_add(1).saturating_sub(first));
    if asked.and_then(|range| range.within(size)) == Some(part) {
        Ok((size, part.0, part.1))
    } else {
        Err(unexpected("another part of an object"))
    }
}
