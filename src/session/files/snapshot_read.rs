//! Read a file of a snapshot, or a part of it.

use crate::domain::files::mime::{is_text, mime_type, whole_characters};
use crate::domain::limits::{ARCHIVE_CHUNK_BYTES, ARCHIVE_LINES_MAX_BYTES, FILE_MAX_BYTES};
use crate::domain::{Error, ErrorCode, Next, Result, SnapshotSelector};
use crate::ports::sandbox::part::Part;
use crate::ports::sandbox::{Encoding, ReadFileResult, ReadRange};
use crate::ports::{ByteStream, Bytes, Clock};
use crate::session::Session;
use crate::session::files::snapshot::SnapshotFiles;
use crate::session::files::{ReadFileRequest, Seen};
use crate::session::parts::{ArchiveMemory, OpenSnapshot};
use crate::squashfs::{LayeredTree, Node, NodeKind};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::ops::Range;
use std::rc::Rc;

/// A file of a snapshot to read: whole, or a part by bytes or by lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadSnapshotFile {
    /// The snapshot: its ref, its id, or its name in this session.
    pub r#ref: SnapshotSelector,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Path under the snapshot's root, e.g. src/main.py.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// Return text or base64. Default: text, if the content is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// First byte to read, from 0. Not together with startLine or lineCount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Maximum bytes to read. Default 262144 for a part; over MCP 32768, at most 524288.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::FILE_MAX_BYTES)))]
    pub max_bytes: Option<u64>,
    /// First line to read, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1)))]
    pub start_line: Option<u64>,
    /// Maximum lines to read. Default: as many as fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1)))]
    pub line_count: Option<u64>,
}

impl ReadSnapshotFile {
    pub(crate) fn whole(r#ref: SnapshotSelector, path: String) -> Self {
        Self {
            r#ref,
            allow_cross_session: false,
            path,
            encoding: None,
            offset: None,
            max_bytes: None,
            start_line: None,
            line_count: None,
        }
    }
}

impl Session {
    /// Reads a file of a snapshot, or a part of it. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND`; `TOO_LARGE` for a whole file past 2 MiB; `INVALID_ARGUMENT`; as a restore.
    pub async fn read_snapshot_file(&self, request: ReadSnapshotFile) -> Result<ReadFileResult> {
        Ok(SnapshotFiles::from(self).read(request).await?.answer)
    }
}

impl SnapshotFiles<'_> {
    pub(crate) async fn read(&self, request: ReadSnapshotFile) -> Result<Seen<ReadFileResult>> {
        let part = ReadFileRequest {
            offset: request.offset,
            max_bytes: request.max_bytes,
            start_line: request.start_line,
            line_count: request.line_count,
            ..ReadFileRequest::default()
        };
        let range = part.range()?;
        let snapshot = self.open("readFile", &request.r#ref, request.allow_cross_session).await?;
        let (file, size) = snapshot.find_file(&request.path).await?;
        let part = match range {
            None if size > FILE_MAX_BYTES => return Err(too_large(&request.path, size)),
            None => snapshot.read_bytes(&file, size, 0, FILE_MAX_BYTES).await?,
            Some(ReadRange::Bytes { offset, length }) => {
                snapshot.read_bytes(&file, size, offset, length).await?
            }
            Some(ReadRange::Lines { first, count, length }) => {
                snapshot.read_lines(&file, size, first, count, length).await?
            }
        };
        let read = part.into_result(&request.path, range, request.encoding)?;
        Ok(Seen::archived(snapshot.id.clone(), read))
    }
}

fn too_large(path: &str, size_bytes: u64) -> Error {
    let text = format!("{path} has {size_bytes} bytes; at most {FILE_MAX_BYTES} are read at once");
    Error::new(ErrorCode::TooLarge, text).with_hint("read it in parts, with offset and maxBytes")
}

impl OpenSnapshot {
    pub(crate) async fn find_file(&self, path: &str) -> Result<(Node, u64)> {
        let node = self.find(path).await?.node;
        match node.kind {
            NodeKind::File { size_bytes } => Ok((node, size_bytes)),
            NodeKind::Directory => Err(Error::invalid("path", format!("{path} is a directory"))
                .with_hint(Next::ListSnapshotDirectory)),
            _ => Err(Error::invalid("path", format!("{path} is not a file"))),
        }
    }

    async fn read_bytes(&self, file: &Node, size: u64, offset: u64, length: u64) -> Result<Part> {
        let offset = offset.min(size);
        Ok(Part { bytes: self.tree.read(file, offset, length).await?, offset, size })
    }

    async fn read_lines(
        &self,
        file: &Node,
        size: u64,
        first: u64,
        count: u64,
        length: u64,
    ) -> Result<Part> {
        let offset = self.line_start(file, size, first).await?;
        let mut part = self.read_bytes(file, size, offset, length).await?;
        if let Some(end) = after_line(&part.bytes, count) {
            part.bytes.truncate(end);
        }
        Ok(part)
    }

    /// Where line `number` begins, or the file's end.
    async fn line_start(&self, file: &Node, size: u64, number: u64) -> Result<u64> {
        let (mut at, mut to_pass) = (0, number - 1);
        while to_pass > 0 && at < size {
            if at >= ARCHIVE_LINES_MAX_BYTES {
                let text = format!("line {number} lies beyond byte {ARCHIVE_LINES_MAX_BYTES}");
                return Err(Error::new(ErrorCode::TooLarge, text)
                    .with_hint("read by offset instead of startLine"));
            }
            let bytes = self.tree.read(file, at, ARCHIVE_CHUNK_BYTES).await?;
            match after_line(&bytes, to_pass) {
                Some(end) => return Ok(at + end as u64),
                None => to_pass -= line_ends(&bytes),
            }
            at += bytes.len() as u64;
        }
        Ok(at)
    }
}

fn line_ends(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Where the text after its first `count` lines begins, if they end in `bytes`.
fn after_line(bytes: &[u8], count: u64) -> Option<usize> {
    let nth = usize::try_from(count).ok()?.checked_sub(1)?;
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(at, _)| at + 1).nth(nth)
}

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
    /// Media type, found by the first bytes, or else by the name.
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
    /// `NOT_FOUND`; `INVALID_ARGUMENT`; the errors of a restore.
    pub async fn download_file(&self, request: DownloadFile) -> Result<Download> {
        let snapshot_files = SnapshotFiles::from(self);
        let snapshot =
            snapshot_files.open("streamFile", &request.r#ref, request.allow_cross_session).await?;
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
                memory: snapshot_files.context.ports.archives.clone(),
                clock: snapshot_files.context.ports.clock.clone(),
            }),
        })
    }
}

impl Download {
    /// Length of the content.
    pub fn length_bytes(&self) -> u64 {
        self.part.as_ref().map_or(self.size_bytes, |part| part.end - part.start)
    }
}

impl DownloadFile {
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

/// Enough bytes to recognize a media type.
const HEAD_BYTES: u64 = 4 * 1024;

/// Holds memory for one chunk, and only while it reads the chunk: slow readers hold up nobody.
struct Content {
    tree: LayeredTree,
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
