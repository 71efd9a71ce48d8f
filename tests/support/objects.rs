//! [`ObjectStore`] in memory, as strict as R2.

use super::stream::MemoryBytes;
use async_trait::async_trait;
use sha2::{Digest, Sha256};
use snapshotter::domain::s3::attributes::{Attributes, StoredObject};
use snapshotter::domain::s3::body::bad_digest;
use snapshotter::domain::s3::conditions::{WriteCondition, precondition_failed};
use snapshotter::domain::s3::documents::PartDone;
use snapshotter::domain::s3::listing::{ListPage, ListedObject};
use snapshotter::domain::s3::operation::PartOf;
use snapshotter::domain::s3::range::ByteRange;
use snapshotter::domain::s3::{Code, Result, S3Error};
use snapshotter::ports::bucket::objects::{
    FoundObject, ObjectStore, ObjectStores, Put, StoreList, Written,
};
use snapshotter::ports::stream::Bytes;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

type Parts = BTreeMap<u16, Vec<u8>>;
/// By key.
type Objects = BTreeMap<String, (Vec<u8>, Attributes)>;
/// By key and upload id.
type Uploads = BTreeMap<(String, String), (Attributes, Parts)>;

/// A store in memory. Clones share it.
#[derive(Clone, Default)]
pub struct MemoryStore {
    pub objects: Rc<RefCell<Objects>>,
    pub uploads: Rc<RefCell<Uploads>>,
}

impl MemoryStore {
    pub fn keys(&self) -> Vec<String> {
        self.objects.borrow().keys().cloned().collect()
    }

    fn stored(&self, key: &str) -> Option<StoredObject> {
        let objects = self.objects.borrow();
        let (bytes, attributes) = objects.get(key)?;
        Some(StoredObject {
            size_bytes: bytes.len() as u64,
            etag: etag(bytes),
            uploaded_at_ms: 1_800_000_000_000,
            attributes: attributes.clone(),
        })
    }
}

fn etag(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn no_such_upload() -> S3Error {
    S3Error::new(Code::NoSuchUpload, "no upload")
}

async fn whole(mut body: Bytes, length_bytes: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let broken =
        |cause: String| S3Error::new(Code::ServiceUnavailable, "it broke").with_cause(cause);
    while let Some(more) = body.next().await.map_err(|error| broken(error.to_string()))? {
        bytes.extend(more);
    }
    if bytes.len() as u64 == length_bytes { Ok(bytes) } else { Err(broken("length".into())) }
}

#[async_trait(?Send)]
impl ObjectStore for MemoryStore {
    fn checks_digests(&self) -> bool {
        true
    }

    async fn head(&self, key: &str) -> Result<Option<StoredObject>> {
        Ok(self.stored(key))
    }

    async fn get(&self, key: &str, range: Option<ByteRange>) -> Result<Option<FoundObject>> {
        let Some(object) = self.stored(key) else { return Ok(None) };
        let size = object.size_bytes;
        let within = range.map_or(Some((0, size)), |range| range.within(size));
        let (offset_bytes, length_bytes) =
            within.ok_or_else(|| S3Error::new(Code::InvalidRange, "past the end"))?;
        let (from, len) = (offset_bytes as usize, length_bytes as usize);
        let bytes = self.objects.borrow()[key].0[from..from + len].to_vec();
        let chunks = bytes.chunks(3).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let body = Box::new(MemoryBytes::of(chunks));
        Ok(Some(FoundObject { object, offset_bytes, length_bytes, body }))
    }

    async fn put(&self, key: &str, body: Bytes, put: &Put<'_>) -> Result<Written> {
        let holds = match (put.condition, self.stored(key)) {
            (WriteCondition::None, _) => true,
            (WriteCondition::Absent, old) => old.is_none(),
            (WriteCondition::Matches(etag), old) => old.is_some_and(|old| old.etag == *etag),
        };
        if !holds {
            return Err(precondition_failed());
        }
        let bytes = whole(body, put.length_bytes).await?;
        if let Some(expected) = put.expected {
            let mut digester = expected.algorithm.digester();
            digester.update(&bytes);
            if digester.finish() != expected.digest {
                return Err(bad_digest());
            }
        }
        self.objects.borrow_mut().insert(key.to_owned(), (bytes, put.attributes.clone()));
        let StoredObject { etag, uploaded_at_ms, .. } = self.stored(key).unwrap();
        Ok(Written { etag, uploaded_at_ms })
    }

    async fn delete(&self, keys: &[String]) -> Result<()> {
        self.objects.borrow_mut().retain(|key, _| !keys.contains(key));
        Ok(())
    }

    async fn list(&self, list: &StoreList) -> Result<ListPage> {
        let (mut page, mut last) = (ListPage::default(), None);
        let after = list.cursor.clone().or_else(|| list.start_after.clone()).unwrap_or_default();
        for key in self.keys() {
            let Some(rest) = key.strip_prefix(&list.prefix) else { continue };
            let folder = list.delimiter.as_ref().and_then(|end| {
                let at = rest.find(end.as_str())?;
                Some(format!("{}{}", list.prefix, &rest[..at + end.len()]))
            });
            let shown = folder.clone().unwrap_or_else(|| key.clone());
            // A cursor stands for all that its last entry stands for.
            if key <= after
                || (list.cursor.is_some() && shown <= after)
                || last.as_ref() == Some(&shown)
            {
                continue;
            }
            if page.objects.len() + page.prefixes.len() == list.limit as usize {
                page.cursor = last;
                return Ok(page);
            }
            match folder {
                Some(folder) => page.prefixes.push(folder),
                None => {
                    let StoredObject { etag, size_bytes, uploaded_at_ms, .. } =
                        self.stored(&key).unwrap();
                    page.objects.push(ListedObject { key, etag, size_bytes, uploaded_at_ms });
                }
            }
            last = Some(shown);
        }
        Ok(page)
    }

    async fn create_upload(&self, key: &str, attributes: &Attributes) -> Result<String> {
        let id = format!("upload-{}", self.uploads.borrow().len());
        let upload = (attributes.clone(), Parts::new());
        self.uploads.borrow_mut().insert((key.to_owned(), id.clone()), upload);
        Ok(id)
    }

    async fn upload_part(
        &self,
        key: &str,
        part: &PartOf,
        body: Bytes,
        length_bytes: u64,
    ) -> Result<String> {
        let bytes = whole(body, length_bytes).await?;
        let mut uploads = self.uploads.borrow_mut();
        let upload = uploads.get_mut(&(key.to_owned(), part.upload_id.clone()));
        let (_, parts) = upload.ok_or_else(no_such_upload)?;
        let etag = etag(&bytes);
        parts.insert(part.number, bytes);
        Ok(etag)
    }

    async fn complete_upload(
        &self,
        key: &str,
        upload_id: &str,
        parts: &[PartDone],
    ) -> Result<String> {
        let name = (key.to_owned(), upload_id.to_owned());
        let upload = self.uploads.borrow().get(&name).cloned();
        let (attributes, uploaded) = upload.ok_or_else(no_such_upload)?;
        let mut bytes = Vec::new();
        for part in parts {
            let found = uploaded.get(&part.number).filter(|bytes| etag(bytes) == part.etag);
            bytes.extend(found.ok_or_else(|| S3Error::new(Code::InvalidPart, "no such part"))?);
        }
        self.uploads.borrow_mut().remove(&name);
        self.objects.borrow_mut().insert(key.to_owned(), (bytes, attributes));
        Ok(self.stored(key).unwrap().etag)
    }

    async fn abort_upload(&self, key: &str, upload_id: &str) -> Result<()> {
        self.uploads.borrow_mut().remove(&(key.to_owned(), upload_id.to_owned()));
        Ok(())
    }
}

/// Stores by the name of their binding.
#[derive(Clone, Default)]
pub struct MemoryStores(pub BTreeMap<String, MemoryStore>);

impl ObjectStores for MemoryStores {
    fn open(&self, binding: &str) -> Result<Rc<dyn ObjectStore>> {
        let store = self.0.get(binding).cloned();
        let store = store.ok_or_else(|| S3Error::new(Code::NoSuchBucket, "no binding"))?;
        Ok(Rc::new(store))
    }
}
