//! [`Bucket`] in memory.

use super::container::{apply, hex};
use super::faults::Faults;
use super::stream::MemoryBytes;
use async_trait::async_trait;
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::domain::snapshot::backup::{SnapshotKind, archive_key, data_key};
use snapshotter::domain::snapshot::chain::{Chain, Part};
use snapshotter::ports::bucket::{
    Bucket, Buckets, FolderPage, ObjectInfo, ObjectPage, SmallObject,
};
use snapshotter::ports::stream::Bytes;
use snapshotter::ports::trees::Trees;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A bucket in memory. Clones share it.
#[derive(Clone, Default)]
pub struct MemoryBucket {
    pub objects: Rc<RefCell<BTreeMap<String, Vec<u8>>>>,
    /// Multipart uploads begun and neither completed nor aborted, by key.
    pub uploads: Rc<RefCell<BTreeMap<String, String>>>,
    /// The time of an object's put, if a test sets one.
    pub uploaded_at_ms: Rc<RefCell<BTreeMap<String, i64>>>,
    /// Whether archives are refused.
    pub refuses: Rc<Cell<bool>>,
    faults: Faults,
}

impl MemoryBucket {
    pub fn new(faults: Faults) -> Self {
        Self { faults, ..Self::default() }
    }

    /// The same bucket for a caller with other faults.
    pub fn breaking_by(&self, faults: Faults) -> Self {
        Self { faults, ..self.clone() }
    }

    pub fn keys(&self) -> Vec<String> {
        self.objects.borrow().keys().cloned().collect()
    }
}

#[async_trait(?Send)]
impl Bucket for MemoryBucket {
    async fn head(&self, key: &str) -> Result<Option<ObjectInfo>> {
        self.faults
            .effect("head", || {
                let uploaded_at_ms = self.uploaded_at_ms.borrow().get(key).copied().unwrap_or(0);
                Ok(self.objects.borrow().get(key).map(|bytes| ObjectInfo {
                    size_bytes: bytes.len() as u64,
                    etag: hex(bytes),
                    uploaded_at_ms,
                    sha256: key.ends_with("/data.sqsh").then(|| hex(bytes)),
                    name: None,
                }))
            })
            .await
    }

    async fn get_small_tagged(&self, key: &str, max_bytes: u64) -> Result<Option<SmallObject>> {
        self.faults
            .effect("get", || {
                let found = self.objects.borrow().get(key).cloned();
                if found.as_ref().is_some_and(|bytes| bytes.len() as u64 > max_bytes) {
                    return Err(Error::new(ErrorCode::TooLarge, key));
                }
                Ok(found.map(|bytes| SmallObject { etag: hex(&bytes), bytes }))
            })
            .await
    }

    async fn read_range(&self, key: &str, offset: u64, len_bytes: u64) -> Result<Option<Vec<u8>>> {
        self.faults
            .effect("readRange", || {
                let objects = self.objects.borrow();
                let Some(bytes) = objects.get(key) else { return Ok(None) };
                if offset >= bytes.len() as u64 {
                    return Err(Error::new(ErrorCode::Unavailable, "no such range"));
                }
                let start = usize::try_from(offset).unwrap();
                let end = bytes.len().min(start + usize::try_from(len_bytes).unwrap());
                Ok(Some(bytes[start..end].to_vec()))
            })
            .await
    }

    async fn read_stream(&self, key: &str) -> Result<Option<Bytes>> {
        self.faults
            .effect("readStream", || {
                let found = self.objects.borrow().get(key).cloned();
                Ok(found.map(|bytes| Box::new(MemoryBytes::of([bytes])) as Bytes))
            })
            .await
    }

    async fn create_small(&self, key: &str, bytes: Vec<u8>) -> Result<()> {
        self.faults
            .effect("create", || {
                let mut objects = self.objects.borrow_mut();
                if objects.contains_key(key) {
                    return Err(Error::new(ErrorCode::Conflict, format!("{key} exists already")));
                }
                objects.insert(key.to_owned(), bytes);
                Ok(())
            })
            .await
    }

    async fn replace_small(&self, key: &str, etag: &str, bytes: Vec<u8>) -> Result<()> {
        self.faults
            .effect("replace", || {
                let mut objects = self.objects.borrow_mut();
                if objects.get(key).is_none_or(|found| hex(found) != etag) {
                    return Err(Error::new(ErrorCode::Conflict, format!("{key} was changed")));
                }
                objects.insert(key.to_owned(), bytes);
                Ok(())
            })
            .await
    }

    async fn delete(&self, key: &str) -> Result<()> {
        self.faults
            .effect("delete", || {
                self.objects.borrow_mut().remove(key);
                Ok(())
            })
            .await
    }

    async fn list_folders(
        &self,
        prefix: &str,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<FolderPage> {
        self.faults
            .effect("list", || {
                let objects = self.objects.borrow();
                let folders: BTreeSet<String> = objects
                    .keys()
                    .filter_map(|key| {
                        let (folder, _rest) = key.strip_prefix(prefix)?.split_once('/')?;
                        Some(format!("{prefix}{folder}/"))
                    })
                    .filter(|folder| cursor.is_none_or(|cursor| folder.as_str() > cursor))
                    .collect();
                let page: Vec<String> = folders.iter().take(limit as usize).cloned().collect();
                let cursor = page.last().filter(|_| folders.len() > page.len()).cloned();
                Ok(FolderPage { folders: page, cursor })
            })
            .await
    }

    async fn list_objects(
        &self,
        prefix: &str,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<ObjectPage> {
        self.faults
            .effect("listObjects", || {
                let objects = self.objects.borrow();
                let under: Vec<(String, ObjectInfo)> = objects
                    .iter()
                    .filter(|(key, _)| {
                        key.strip_prefix(prefix).is_some_and(|rest| !rest.contains('/'))
                    })
                    .filter(|(key, _)| cursor.is_none_or(|cursor| key.as_str() > cursor))
                    .map(|(key, bytes)| {
                        let info = ObjectInfo {
                            size_bytes: bytes.len() as u64,
                            etag: hex(bytes),
                            uploaded_at_ms: self
                                .uploaded_at_ms
                                .borrow()
                                .get(key)
                                .copied()
                                .unwrap_or(0),
                            sha256: None,
                            name: None,
                        };
                        (key.clone(), info)
                    })
                    .collect();
                let page: Vec<_> = under.iter().take(limit as usize).cloned().collect();
                let cursor = page.last().filter(|_| under.len() > page.len());
                Ok(ObjectPage { cursor: cursor.map(|(key, _)| key.clone()), objects: page })
            })
            .await
    }

    async fn abort_multipart(&self, key: &str, upload_id: &str) -> Result<()> {
        self.faults
            .effect("abortMultipart", || {
                let mut uploads = self.uploads.borrow_mut();
                match uploads.iter().find(|(_, id)| *id == upload_id) {
                    None => Ok(()),
                    Some((of, _)) if of == key => {
                        uploads.remove(key);
                        Ok(())
                    }
                    Some(_) => Err(Error::new(ErrorCode::Unavailable, "it is of another key")),
                }
            })
            .await
    }
}

/// Archives in memory are their trees; a layer is what [`apply`] takes.
#[async_trait(?Send)]
impl Trees for MemoryBucket {
    async fn first_difference(
        &self,
        _binding: &str,
        archives: &Chain,
        full: &Part,
    ) -> Result<Option<String>> {
        self.faults
            .effect("compareTrees", || {
                let objects = self.objects.borrow();
                let mut tree = Vec::new();
                for (part, kind) in archives.archives() {
                    let gone = || Error::new(ErrorCode::SnapshotGone, "an archive is gone");
                    let found = objects.get(&archive_key(&part.id, kind)).ok_or_else(gone)?;
                    tree = match kind {
                        SnapshotKind::Full => found.clone(),
                        SnapshotKind::Layer => apply(&tree, found),
                    };
                }
                let is_same = objects.get(&data_key(&full.id)) == Some(&tree);
                Ok((!is_same).then(|| "a file".to_owned()))
            })
            .await
    }
}

/// The one bucket under its binding's name.
pub struct OneBucket(pub MemoryBucket);

impl Buckets for OneBucket {
    fn open(&self, binding: &str) -> Result<Rc<dyn Bucket>> {
        if binding == "BACKUP_BUCKET" {
            return Ok(Rc::new(self.0.clone()));
        }
        Err(Error::new(ErrorCode::NotConfigured, format!("the R2 binding {binding} is missing")))
    }
}
