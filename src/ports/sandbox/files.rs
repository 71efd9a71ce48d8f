//! Options and results of a sandbox's file methods.

use crate::domain::error::Result;
use crate::domain::files::path::AbsolutePath;
use crate::domain::files::tar::DroppedByImport;
use crate::domain::ids::{InstanceId, PartNumber, UploadId};
use crate::domain::json::render;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How file content is carried in JSON.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub enum Encoding {
    /// Text.
    #[default]
    #[serde(rename = "utf-8", alias = "utf8")]
    Utf8,
    /// Bytes.
    #[serde(rename = "base64")]
    Base64,
}

/// Options of the file methods.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FileOptions {
    /// Root that the path must not leave, even through symbolic links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<AbsolutePath>,
    /// Encoding of the content. Default for reads: text if it is UTF-8, else base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// `mkdir`: make parents, and accept an existing directory. `writeFile`: make parents.
    /// `listFiles`: descend. `deleteFile`: also delete directories with their content.
    pub recursive: bool,
    /// `mkdir`: as `recursive`, and move away anything else at the path, even links to directories.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub clear: bool,
    /// `listFiles`: also list names that begin with a dot.
    pub include_hidden: bool,
    /// `listFiles`: number of entries to skip.
    pub offset: u64,
    /// `listFiles`: maximum entries. Default and maximum: 10,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// `readFile`: the part to read. Default: the whole file, at most 2 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<ReadRange>,
    /// `writeFile`: replace only content with this hexadecimal SHA-256, or fail with `CONFLICT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_sha256: Option<String>,
    /// `exportTar`: export only these paths below the directory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<AbsolutePath>,
    /// As in [`CreateBackupOptions`](crate::ports::sandbox::CreateBackupOptions).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReadRange {
    /// `length` bytes from `offset` on.
    Bytes {
        /// Bytes to skip.
        offset: u64,
        /// Maximum bytes, capped at 2 MiB.
        length: u64,
    },
    /// `count` lines from line `first` on.
    Lines {
        /// First line to read, counted from 1.
        first: u64,
        /// Maximum lines.
        count: u64,
        /// Maximum bytes, capped at 2 MiB.
        length: u64,
    },
}

/// Result of `readFile`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReadFileResult {
    /// Content in `encoding`.
    pub content: String,
    /// Encoding of `content`.
    #[serde(default)]
    pub encoding: Encoding,
    /// Size of the whole file in bytes.
    #[serde(default)]
    pub size_bytes: u64,
    /// Offset of `content` in the file, in bytes.
    #[serde(default)]
    pub offset: u64,
    /// Whether the file continues after `content`.
    #[serde(default)]
    pub truncated: bool,
    /// Offset of the next read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// Number of the next line, from 1, if lines were read and `content` ends with a whole line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_line: Option<u64>,
    /// Media type, found by the first bytes, or else by the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
}

impl ReadFileResult {
    /// Converts to JSON without copying the content.
    ///
    /// # Errors
    /// As [`render`].
    pub fn into_value(mut self) -> Result<Value> {
        let content = std::mem::take(&mut self.content);
        let mut value = render(&self)?;
        if let Some(fields) = value.as_object_mut() {
            fields.insert("content".to_owned(), Value::String(content));
        }
        Ok(value)
    }
}

/// Type of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FileType {
    /// Regular file.
    File,
    /// Directory.
    Directory,
    /// Symbolic link, not followed.
    Symlink,
    /// Anything else.
    Other,
}

/// One entry of `listFiles`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileInfo {
    /// Last segment of the path.
    pub name: String,
    /// Absolute path.
    pub absolute_path: String,
    /// Path from the directory listed.
    pub relative_path: String,
    /// `relativePath` in base64, if not UTF-8: it then has U+FFFD, and no file method accepts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_path_base64: Option<String>,
    /// Type of the entry.
    pub r#type: FileType,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Time of the last change, in RFC 3339.
    pub modified_at: String,
    /// Permission bits in octal, e.g. `644`.
    pub mode: String,
}

/// Result of `listFiles`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListFilesResult {
    /// Entries, ordered by the bytes of their paths; at most 10,000.
    pub files: Vec<FileInfo>,
    /// Whether there are more entries.
    #[serde(default)]
    pub truncated: bool,
}

/// Result of `exists`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Existence {
    /// Whether the path exists.
    pub exists: bool,
}

/// Result of `stat`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FileStat {
    /// Type.
    pub r#type: FileType,
    /// Size in bytes.
    pub size_bytes: u64,
    /// RFC 3339.
    pub modified_at: String,
    /// Permission bits in octal, e.g. `644`.
    pub mode: String,
    /// Owner, by number.
    pub uid: u32,
    /// Group, by number.
    pub gid: u32,
    /// Target of a symbolic link; it may not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The bytes of `target` in base64, if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_base64: Option<String>,
}

/// Which files to search, and how many results to return.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SearchOptions {
    /// As in [`FileOptions`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<AbsolutePath>,
    /// Only files whose paths match this `.gitignore`-style pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Also search ignored files (`.gitignore`, `.ignore`) and those in `.git`.
    pub include_ignored: bool,
    /// Results to skip.
    pub offset: u64,
    /// Maximum results. Each method has its own default and maximum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// As in [`CreateBackupOptions`](crate::ports::sandbox::CreateBackupOptions).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// Options of `grep`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GrepOptions {
    /// Regular expression, or fixed text, that matches within a line. Must not contain a line end.
    pub pattern: String,
    /// `pattern` is text, not an expression.
    pub fixed: bool,
    /// Ignore case.
    pub ignore_case: bool,
    /// Lines to show before and after each match.
    pub context: u32,
    /// Where to search.
    #[serde(flatten)]
    pub search: SearchOptions,
}

/// A path that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FoundPath {
    /// Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
    /// are replaced.
    pub path: String,
    /// The bytes of `path` in base64, if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_base64: Option<String>,
}

impl FoundPath {
    /// The path of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let (path, path_base64) = shown(bytes);
        Self { path, path_base64 }
    }
}

/// A name as text, and in base64 if it is not UTF-8.
#[must_use]
pub fn shown(name: &[u8]) -> (String, Option<String>) {
    match std::str::from_utf8(name) {
        Ok(name) => (name.to_owned(), None),
        Err(_) => (String::from_utf8_lossy(name).into_owned(), Some(BASE64.encode(name))),
    }
}

/// Result of `glob`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundFiles {
    /// Regular files, ordered by path; at most 10,000.
    pub files: Vec<FoundPath>,
    /// Whether there are more files.
    pub truncated: bool,
}

/// One line that `grep` shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FoundLine {
    /// Path of the file.
    #[serde(flatten)]
    pub file: FoundPath,
    /// From 1. Absent if the line is so long that its number was cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The line without its end, at most 500 characters of it; bytes that are
    /// not UTF-8 are replaced.
    pub text: String,
    /// Whether `text` is only the beginning.
    #[serde(default)]
    pub cut: bool,
    /// Whether the line matches; otherwise it is near a match.
    pub matches: bool,
}

/// Result of `grep`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundLines {
    /// Lines, ordered by path, then by number; at most 2,000.
    pub lines: Vec<FoundLine>,
    /// Whether there are more lines.
    pub truncated: bool,
}

/// Result of `importTar`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ImportedTar {
    /// Entries of the archive.
    pub entries: u64,
    /// Files, hard links included.
    pub files: u64,
    /// Directories.
    pub directories: u64,
    /// Symbolic links.
    pub links: u64,
    /// Bytes in all files.
    pub size_bytes: u64,
    /// What was not kept. Absent if nothing was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<DroppedByImport>,
}

/// A part of an uploaded archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UploadPart {
    /// The upload it belongs to.
    pub upload: UploadId,
    /// Number of the part in the archive.
    pub part: PartNumber,
    /// Size in bytes. A shorter part is not stored.
    pub size_bytes: u64,
}

/// An archive whose parts are stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UploadedArchive {
    /// The upload.
    pub upload: UploadId,
    /// Number of parts.
    pub parts: PartNumber,
    /// SHA-256 of the whole archive in hexadecimal, if it is to be checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}
