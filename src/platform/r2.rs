//! [`Bucket`] over R2, for `meta.json` and keys.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::text::utf8::hex;
use crate::platform::container::js::{self, JsStream, get};
use crate::platform::container::stream::JsBytes;
use crate::platform::convert::from_worker;
use crate::ports::bucket::{Bucket, Buckets, FolderPage, ObjectInfo, ObjectPage, SmallObject};
use crate::ports::stream::Bytes;
use async_trait::async_trait;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use worker::{Conditional, Env, Include};

/// The Worker's R2 bindings.
pub struct R2Buckets {
    env: Env,
}

impl R2Buckets {
    /// The R2 bindings of this environment.
    pub const fn new(env: Env) -> Self {
        Self { env }
    }
}

impl Buckets for R2Buckets {
    fn open(&self, binding: &str) -> Result<Rc<dyn Bucket>> {
        let bucket = self.env.bucket(binding).map_err(|error| {
            Error::new(ErrorCode::NotConfigured, format!("the R2 binding {binding} is missing"))
                .with_hint("add it under [[r2_buckets]] in wrangler.toml")
                .with_cause(error.to_string())
        })?;
        let raw = get(self.env.as_ref(), binding).unchecked_into();
        Ok(Rc::new(R2Bucket { bucket, raw }))
    }
}

struct R2Bucket {
    bucket: worker::Bucket,
    /// The same binding, untyped. Its streams need not pass through WebAssembly.
    raw: js::R2Bucket,
}

/// The failure may be transient, and it is unknown whether a write took effect.
fn unavailable(error: worker::Error) -> Error {
    Error::new(ErrorCode::Unavailable, "R2 does not respond")
        .with_outcome(Outcome::Unknown)
        .with_cause(from_worker(&error).cause.unwrap_or_default())
}

fn info(object: &worker::Object) -> ObjectInfo {
    let named = object.custom_metadata().ok().and_then(|mut metadata| metadata.remove("name"));
    ObjectInfo {
        size_bytes: object.size(),
        etag: object.etag(),
        uploaded_at_ms: i64::try_from(object.uploaded().as_millis()).unwrap_or(i64::MAX),
        sha256: object.checksum().sha256.map(|bytes| hex(&bytes)),
        name: named,
    }
}

#[async_trait(?Send)]
impl Bucket for R2Bucket {
    async fn head(&self, key: &str) -> Result<Option<ObjectInfo>> {
        let object = self.bucket.head(key).await.map_err(unavailable)?;
        Ok(object.as_ref().map(info))
    }

    async fn read_stream(&self, key: &str) -> Result<Option<Bytes>> {
        let object = JsFuture::from(self.raw.get(key).map_err(js::r2_failed)?).await;
        let object = object.map_err(js::r2_failed)?;
        let body = get(&object, "body");
        if object.is_null() || !body.is_object() {
            return Ok(None);
        }
        Ok(Some(Box::new(JsBytes::new(body.unchecked_into::<JsStream>()))))
    }

    async fn get_small_tagged(&self, key: &str, max_bytes: u64) -> Result<Option<SmallObject>> {
        let Some(object) = self.bucket.get(key).execute().await.map_err(unavailable)? else {
            return Ok(None);
        };
        if object.size() > max_bytes {
            return Err(Error::new(
                ErrorCode::TooLarge,
                format!("{key} is larger than {max_bytes} bytes"),
            ));
        }
        let Some(body) = object.body() else {
            return Err(Error::internal(format!("R2 returned {key} without a body")));
        };
        let bytes = body.bytes().await.map_err(unavailable)?;
        Ok(Some(SmallObject { bytes, etag: object.etag() }))
    }

    async fn read_range(&self, key: &str, offset: u64, len_bytes: u64) -> Result<Option<Vec<u8>>> {
        let range = worker::Range::OffsetWithLength { offset, length: len_bytes };
        let read = self.bucket.get(key).range(range).execute().await.map_err(unavailable)?;
        let Some(object) = read else { return Ok(None) };
        let Some(body) = object.body() else {
            return Err(Error::internal(format!("R2 returned {key} without a body")));
        };
        body.bytes().await.map(Some).map_err(unavailable)
    }

    async fn create_small(&self, key: &str, bytes: Vec<u8>) -> Result<()> {
        let absent =
            Conditional { etag_does_not_match: Some("*".to_owned()), ..Conditional::default() };
        let created =
            self.bucket.put(key, bytes).only_if(absent).execute().await.map_err(unavailable)?;
        if created.is_none() {
            return Err(Error::new(ErrorCode::Conflict, format!("{key} exists already")));
        }
        Ok(())
    }

    async fn replace_small(&self, key: &str, etag: &str, bytes: Vec<u8>) -> Result<()> {
        let same = Conditional { etag_matches: Some(etag.to_owned()), ..Conditional::default() };
        let replaced =
            self.bucket.put(key, bytes).only_if(same).execute().await.map_err(unavailable)?;
        if replaced.is_none() {
            return Err(Error::new(ErrorCode::Conflict, format!("{key} was changed meanwhile")));
        }
        Ok(())
    }

    async fn delete(&self, key: &str) -> Result<()> {
        self.bucket.delete(key).await.map_err(unavailable)
    }

    async fn list_folders(
        &self,
        prefix: &str,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<FolderPage> {
        let mut list = self.bucket.list().prefix(prefix).delimiter("/").limit(limit);
        if let Some(cursor) = cursor {
            list = list.cursor(cursor);
        }
        let page = list.execute().await.map_err(unavailable)?;
        Ok(FolderPage {
            folders: page.delimited_prefixes(),
            cursor: if page.truncated() { page.cursor() } else { None },
        })
    }

    async fn list_objects(
        &self,
        prefix: &str,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<ObjectPage> {
        let include = vec![Include::CustomMetadata];
        let mut list =
            self.bucket.list().prefix(prefix).delimiter("/").limit(limit).include(include);
        if let Some(cursor) = cursor {
            list = list.cursor(cursor);
        }
        let page = list.execute().await.map_err(unavailable)?;
        Ok(ObjectPage {
            objects: page.objects().iter().map(|object| (object.key(), info(object))).collect(),
            cursor: if page.truncated() { page.cursor() } else { None },
        })
    }

    async fn abort_multipart(&self, key: &str, upload_id: &str) -> Result<()> {
        let upload = self.bucket.resume_multipart_upload(key, upload_id).map_err(unavailable)?;
        match upload.abort().await {
            Ok(()) => Ok(()),
            Err(error) => {
                let error = unavailable(error);
                // R2 reports an upload that was already completed or aborted in this way.
                let gone = error.cause.as_ref().is_some_and(|cause| {
                    cause.contains("does not exist") || cause.contains("10024")
                });
                if gone { Ok(()) } else { Err(error) }
            }
        }
    }
}
