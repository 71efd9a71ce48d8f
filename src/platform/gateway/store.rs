//! [`ObjectStore`] over R2. Bodies pass from stream to stream inside the runtime.

use crate::domain::s3::attributes::{Attributes, StoredObject};
use crate::domain::s3::body::bad_digest;
use crate::domain::s3::checksum::Algorithm;
use crate::domain::s3::conditions::{
    WriteCondition, http_date, parse_http_date, precondition_failed,
};
use crate::domain::s3::documents::PartDone;
use crate::domain::s3::error::{Code, Result, S3Error};
use crate::domain::s3::listing::{ListPage, ListedObject};
use crate::domain::s3::operation::PartOf;
use crate::domain::s3::range::ByteRange;
use crate::platform::container::js::{
    FixedLengthStream, JsStream, get, number, object, set, words,
};
use crate::platform::container::stream::{JsBytes, readable_of_length};
use crate::platform::gateway::js::{JsBucket, JsUpload};
use crate::ports::bucket::objects::{
    FoundObject, ObjectStore, ObjectStores, Put, StoreList, Written,
};
use crate::ports::stream::Bytes;
use async_trait::async_trait;
use js_sys::{Array, Date, Object, Promise, Reflect, Uint8Array};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use worker::Env;

/// Largest offset or length that is passed on. No object is that large.
const BYTES_MAX: u64 = 1 << 50;

/// HTTP headers, and R2's names for them.
const HTTP: [(&str, &str); 5] = [
    ("cache-control", "cacheControl"),
    ("content-disposition", "contentDisposition"),
    ("content-encoding", "contentEncoding"),
    ("content-language", "contentLanguage"),
    ("content-type", "contentType"),
];

/// The Worker's R2 bindings.
pub struct BoundStores {
    env: Env,
}

impl BoundStores {
    pub const fn new(env: Env) -> Self {
        Self { env }
    }
}

impl ObjectStores for BoundStores {
    fn open(&self, binding: &str) -> Result<Rc<dyn ObjectStore>> {
        // Checks that it is an R2 binding.
        self.env.bucket(binding).map_err(|error| {
            S3Error::new(Code::NoSuchBucket, "the Worker has no such bucket")
                .with_cause(error.to_string())
        })?;
        let bucket = get(self.env.as_ref(), binding).unchecked_into();
        Ok(Rc::new(R2Store { bucket }))
    }
}

struct R2Store {
    bucket: JsBucket,
}

async fn settled(call: std::result::Result<Promise, JsValue>) -> Result<JsValue> {
    JsFuture::from(call.map_err(refused)?).await.map_err(refused)
}

/// R2's message ends with a number in parentheses.
fn refused(thrown: JsValue) -> S3Error {
    let said = words(&thrown);
    let number = said.trim_end().strip_suffix(')').and_then(|said| said.rsplit('(').next());
    let error = match number.unwrap_or_default() {
        "10007" => S3Error::no_such_key(),
        "10011" => S3Error::new(Code::EntityTooSmall, "a part other than the last is too small"),
        "10012" => S3Error::new(Code::MetadataTooLarge, "the metadata is too large"),
        "10020" | "10022" | "10029" => {
            S3Error::new(Code::InvalidArgument, "R2 does not take this request")
        }
        "10024" => S3Error::new(Code::NoSuchUpload, "the upload is unknown, completed or aborted"),
        "10025" => S3Error::new(Code::InvalidPart, "a part was not uploaded, or has another ETag"),
        "10031" => precondition_failed(),
        "10037" => bad_digest(),
        "10039" => S3Error::after_end(),
        "10048" => {
            S3Error::new(Code::InvalidPart, "all parts but the last must have the same size")
        }
        "10058" => S3Error::new(Code::SlowDown, "R2 takes one write a second for a key"),
        "100100" => S3Error::new(Code::EntityTooLarge, "the object is too large"),
        _ => S3Error::new(Code::ServiceUnavailable, "R2 does not respond"),
    };
    error.with_cause(said)
}

fn text(value: &JsValue, name: &str) -> Option<String> {
    get(value, name).as_string()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a size is a whole number below 2^53; the cast saturates"
)]
fn size(value: &JsValue, name: &str) -> u64 {
    get(value, name).as_f64().unwrap_or_default() as u64
}

#[expect(clippy::cast_possible_truncation, reason = "a time is far below 2^53")]
fn time(value: &JsValue, name: &str) -> Option<i64> {
    let date = get(value, name).dyn_into::<Date>().ok()?;
    Some(date.get_time() as i64)
}

fn stored(value: &JsValue) -> StoredObject {
    let (http, custom) = (get(value, "httpMetadata"), get(value, "customMetadata"));
    let mut headers: BTreeMap<String, String> = HTTP
        .into_iter()
        .filter_map(|(header, own)| Some((header.to_owned(), text(&http, own)?)))
        .collect();
    if let Some(expires_ms) = time(&http, "cacheExpiry") {
        headers.insert("expires".to_owned(), http_date(expires_ms));
    }
    let names = custom.dyn_ref::<Object>().map(Object::keys).unwrap_or_default();
    let custom = names.iter().filter_map(|name| {
        let name = name.as_string()?;
        let value = text(&custom, &name)?;
        Some((name, value))
    });
    StoredObject {
        size_bytes: size(value, "size"),
        etag: text(value, "etag").unwrap_or_default(),
        uploaded_at_ms: time(value, "uploaded").unwrap_or_default(),
        attributes: Attributes { custom: custom.collect(), http: headers },
    }
}

fn options(attributes: &Attributes) -> Object {
    let (http, custom) = (Object::new(), Object::new());
    for (header, own) in HTTP {
        if let Some(value) = attributes.http.get(header) {
            set(&http, own, &value.into());
        }
    }
    if let Some(expires_ms) = attributes.http.get("expires").and_then(|text| parse_http_date(text))
    {
        #[expect(clippy::cast_precision_loss, reason = "a time is far below 2^53")]
        let date = Date::new(&(expires_ms as f64).into());
        set(&http, "cacheExpiry", &date.into());
    }
    for (name, value) in &attributes.custom {
        // Defining the property also works for a name such as `__proto__`.
        let property = object(&[("value", value.into()), ("enumerable", true.into())]);
        let _ = Reflect::define_property(&custom, &name.into(), &property);
    }
    object(&[("httpMetadata", http.into()), ("customMetadata", custom.into())])
}

/// A body of a known length for R2 or a service.
pub(super) fn measured(body: Bytes, length_bytes: u64) -> Result<JsValue> {
    if length_bytes == 0 {
        return Ok(Uint8Array::new_with_length(0).into());
    }
    let broken = |cause: String| {
        S3Error::new(Code::InternalError, "the body could not be passed on").with_cause(cause)
    };
    match body.into_native() {
        Ok(native) => {
            let from =
                native.downcast::<JsStream>().map_err(|_| broken("another stream".into()))?;
            let fixed = FixedLengthStream::new(number(length_bytes));
            let piping = from
                .pipe_to(fixed.writable().as_ref(), &Object::new())
                .map_err(|thrown| broken(words(&thrown)))?;
            // If this fails, the put fails, too, because it lacks bytes.
            spawn_local(async move { drop(JsFuture::from(piping).await) });
            Ok(fixed.readable().into())
        }
        Err(made) => readable_of_length(made, length_bytes)
            .map(JsValue::from)
            .map_err(|error| broken(error.to_string())),
    }
}

#[async_trait(?Send)]
impl ObjectStore for R2Store {
    fn checks_digests(&self) -> bool {
        true
    }

    async fn head(&self, key: &str) -> Result<Option<StoredObject>> {
        let found = settled(self.bucket.head(key)).await?;
        Ok(found.is_object().then(|| stored(&found)))
    }

    async fn get(&self, key: &str, range: Option<ByteRange>) -> Result<Option<FoundObject>> {
        let at_most = |bytes: u64| JsValue::from(number(bytes.min(BYTES_MAX)));
        let part = match range {
            None => Object::new(),
            Some(ByteRange::Suffix(len)) => object(&[("suffix", at_most(len))]),
            Some(ByteRange::From { first, last: None }) => object(&[("offset", at_most(first))]),
            Some(ByteRange::From { first, last: Some(last) }) => {
                let length = at_most(last.saturating_sub(first).saturating_add(1));
                object(&[("offset", at_most(first)), ("length", length)])
            }
        };
        let asked = match range {
            None => part,
            Some(_) => object(&[("range", part.into())]),
        };
        let found = settled(self.bucket.get(key, &asked)).await?;
        if !found.is_object() {
            return Ok(None);
        }
        let object = stored(&found);
        let body = get(&found, "body");
        if !body.is_object() {
            return Err(S3Error::new(Code::InternalError, "R2 returned no body"));
        }
        let body: Bytes = Box::new(JsBytes::new(body.unchecked_into()));
        let within =
            range.map_or(Some((0, object.size_bytes)), |range| range.within(object.size_bytes));
        let (offset_bytes, length_bytes) = within.ok_or_else(S3Error::after_end)?;
        Ok(Some(FoundObject { object, offset_bytes, length_bytes, body }))
    }

    async fn put(&self, key: &str, body: Bytes, put: &Put<'_>) -> Result<Written> {
        let asked = options(put.attributes);
        if let Some(expected) = put.expected {
            let name = match expected.algorithm {
                Algorithm::Md5 => "md5",
                Algorithm::Sha1 => "sha1",
                Algorithm::Sha256 => "sha256",
                Algorithm::Crc32 | Algorithm::Crc32c | Algorithm::Crc64Nvme => {
                    return Err(S3Error::new(Code::InternalError, "R2 checks no such digest"));
                }
            };
            set(&asked, name, &Uint8Array::from(expected.digest.as_slice()));
        }
        let condition = match put.condition {
            WriteCondition::None => None,
            WriteCondition::Absent => Some(("etagDoesNotMatch", "*")),
            WriteCondition::Matches(etag) => Some(("etagMatches", etag.as_str())),
        };
        if let Some((name, etag)) = condition {
            set(&asked, "onlyIf", &object(&[(name, etag.into())]));
        }
        let body = measured(body, put.length_bytes)?;
        let found = settled(self.bucket.put(key, &body, &asked)).await?;
        // R2 returns null if the condition does not hold.
        if !found.is_object() {
            return Err(precondition_failed());
        }
        let StoredObject { etag, uploaded_at_ms, .. } = stored(&found);
        Ok(Written { etag, uploaded_at_ms })
    }

    async fn delete(&self, keys: &[String]) -> Result<()> {
        let keys: Array = keys.iter().map(|key| JsValue::from(key.as_str())).collect();
        settled(self.bucket.delete(&keys)).await.map(drop)
    }

    async fn list(&self, list: &StoreList) -> Result<ListPage> {
        let asked =
            object(&[("prefix", list.prefix.as_str().into()), ("limit", list.limit.into())]);
        let optional = [
            ("delimiter", &list.delimiter),
            ("cursor", &list.cursor),
            ("startAfter", &list.start_after),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                set(&asked, name, &value.into());
            }
        }
        let page = settled(self.bucket.list(&asked)).await?;
        let all = |name: &str| get(&page, name).dyn_into::<Array>().unwrap_or_default();
        let objects = all("objects");
        let objects = objects.iter().filter_map(|object| {
            Some(ListedObject {
                key: text(&object, "key")?,
                etag: text(&object, "etag").unwrap_or_default(),
                size_bytes: size(&object, "size"),
                uploaded_at_ms: time(&object, "uploaded").unwrap_or_default(),
            })
        });
        let prefixes = all("delimitedPrefixes");
        Ok(ListPage {
            objects: objects.collect(),
            prefixes: prefixes.iter().filter_map(|it| it.as_string()).collect(),
            cursor: text(&page, "cursor").filter(|_| get(&page, "truncated").is_truthy()),
        })
    }

    async fn create_upload(&self, key: &str, attributes: &Attributes) -> Result<String> {
        let upload = settled(self.bucket.create_upload(key, &options(attributes))).await?;
        text(&upload, "uploadId")
            .ok_or_else(|| S3Error::new(Code::InternalError, "R2 began an upload without an id"))
    }

    async fn upload_part(
        &self,
        key: &str,
        part: &PartOf,
        body: Bytes,
        length_bytes: u64,
    ) -> Result<String> {
        let upload = self.upload(key, &part.upload_id)?;
        let body = measured(body, length_bytes)?;
        let uploaded = settled(upload.upload_part(part.number, &body)).await?;
        text(&uploaded, "etag")
            .ok_or_else(|| S3Error::new(Code::InternalError, "R2 stored a part without an ETag"))
    }

    async fn complete_upload(
        &self,
        key: &str,
        upload_id: &str,
        parts: &[PartDone],
    ) -> Result<String> {
        let parts: Array = parts
            .iter()
            .map(|part| {
                let etag = part.etag.as_str().into();
                object(&[("partNumber", part.number.into()), ("etag", etag)])
            })
            .collect();
        let completed = settled(self.upload(key, upload_id)?.complete(&parts)).await?;
        Ok(stored(&completed).etag)
    }

    async fn abort_upload(&self, key: &str, upload_id: &str) -> Result<()> {
        match settled(self.upload(key, upload_id)?.abort()).await {
            Err(error) if error.code == Code::NoSuchUpload => Ok(()),
            ended => ended.map(drop),
        }
    }
}

impl R2Store {
    fn upload(&self, key: &str, upload_id: &str) -> Result<JsUpload> {
        self.bucket.resume_upload(key, upload_id).map_err(refused)
    }
}
