//! The content of a file of a snapshot, as a stream.

use crate::domain::files::mime::{is_text, mime_type, whole_characters};
use crate::domain::limits::ARCHIVE_CHUNK_BYTES;
use crate::domain::{Error, Result, SnapshotSelector};
use crate::ports::{ByteStream, Bytes, Clock};
use crate::session::Session;
use crate::session::files::snapshot::SnapshotFiles;
use crate::session::parts::ArchiveMemory;
use crate::session::parts::snapshots::tree::FileTree;
use crate::squashfs::Node;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::ops::Range;
use std::rc::Rc;

/// A file of a snapshot to stream: whole, or a part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DownloadFile {
    /// The snapshot: its ref, its id, or its name in this session.
    pub r#ref: SnapshotSelector,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Path under the snapshot's root, e.g. src/main.py.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// First byte, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Maximum bytes. Default: all from offset on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1)))]
    pub max_bytes: Option<u64>,
    /// Read this many bytes at the end of the file. Not together with offset or maxBytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1)))]
    pub suffix_bytes: Option<u64>,
}

/// A file of a snapshot, or a part of it.
pub struct Download {
    /// ETag, which changes if and only if the bytes change.
    pub etag: String,
    /// Media type, by its first bytes, else by its name.
    pub media_type: &'static str,
    /// Size of the whole file.
    pub size_bytes: u64,
    /// The requested part. None: the whole file.
    pub part: Option<Range<u64>>,
    /// SHA-256 of the whole file, lowercase hexadecimal, where it is known.
    pub sha256: Option<String>,
    /// The content. Nothing is read before the first bytes are wanted.
    pub content: Bytes,
}

impl Session {
    /// Streams a file of a snapshot, or a part of it. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a path outside the snapshot; as a restore of the
    /// snapshot.
    pub async fn download_file(&self, request: DownloadFile) -> Result<Download> {
        SnapshotFiles::from(self).download(request).await
    }
}

impl Download {
    /// Length of the content.
    pub fn length_bytes(&self) -> u64 {
        self.part.as_ref().map_or(self.size_bytes, |part| part.end - part.start)
    }
}

impl DownloadFile {
    /// The requested part of a file of this size. None: the whole file.
    fn part(&self, size_bytes: u64) -> Result<Option<Range<u64>>> {
        let is_zero = |asked: Option<u64>| asked == Some(0);
        if is_zero(self.max_bytes) || is_zero(self.suffix_bytes) {
            let field = if is_zero(self.max_bytes) { "maxBytes" } else { "suffixBytes" };
            return Err(Error::invalid(field, "must be at least 1"));
        }
        let from_start = self.offset.is_some() || self.max_bytes.is_some();
        match self.suffix_bytes {
            Some(_) if from_start => {
                Err(Error::invalid("suffixBytes", "cannot be combined with offset or maxBytes"))
            }
            Some(suffix) => Ok(Some(size_bytes.saturating_sub(suffix)..size_bytes)),
            None if from_start => {
                let start = self.offset.unwrap_or(0).min(size_bytes);
                let end = start.saturating_add(self.max_bytes.unwrap_or(u64::MAX)).min(size_bytes);
                Ok(Some(start..end))
            }
            None => Ok(None),
        }
    }
}

impl SnapshotFiles<'_> {
    pub async fn download(&self, request: DownloadFile) -> Result<Download> {
        let snapshot = self.open("streamFile", &request.r#ref, request.allow_cross_session).await?;
        let (file, size_bytes) = snapshot.find_file(&request.path).await?;
        let part = request.part(size_bytes)?;
        let mut head = snapshot.tree.read(&file, 0, HEAD_BYTES).await?;
        head.truncate(whole_characters(&head));
        let media_type = mime_type(&request.path, Some(&head), is_text(&head));
        let Range { start, end } = part.clone().unwrap_or(0..size_bytes);
        Ok(Download {
            // An archive never changes: an inode in it always has the same bytes.
            etag: format!("\"{}-{}\"", snapshot.id, file.file_id()),
            media_type,
            size_bytes,
            part,
            sha256: None,
            content: Box::new(Content {
                tree: snapshot.tree,
                file,
                left: start..end,
                memory: self.context.ports.archives.clone(),
                clock: self.context.ports.clock.clone(),
            }),
        })
    }
}

/// Enough bytes to recognize a media type.
const HEAD_BYTES: u64 = 4 * 1024;

/// Content that is read as it is wanted. It holds room in memory for one chunk
/// only while it reads the chunk, so slow readers hold up nobody.
struct Content {
    tree: FileTree,
    file: Node,
    left: Range<u64>,
    memory: ArchiveMemory,
    clock: Rc<dyn Clock>,
}

#[async_trait(?Send)]
impl ByteStream for Content {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        if self.left.is_empty() {
            return Ok(None);
        }
        let _room = self.memory.hold(self.clock.as_ref()).await?;
        let length = ARCHIVE_CHUNK_BYTES.min(self.left.end - self.left.start);
        let bytes = self.tree.read(&self.file, self.left.start, length).await?;
        self.left.start += bytes.len() as u64;
        Ok(Some(bytes))
    }

    async fn cancel(&mut self) {
        self.left.start = self.left.end;
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}
