//! Read a file, or part of one.

use crate::domain::limits::{FILE_MAX_BYTES, READ_PART_DEFAULT_BYTES};
use crate::domain::{Error, Result, TreeSelector, WorkspaceRef};
use crate::ports::sandbox::{Encoding, FileOptions, ReadFileResult, ReadRange};
use crate::session::Session;
use crate::session::files::Files;
use crate::session::files::look::{Seen, Sight};
use crate::session::files::snapshot::SnapshotFiles;
use crate::session::files::snapshot_read::ReadSnapshotFile;
use crate::session::parts::Placed;
use serde::Deserialize;

/// A file to read: whole, or a part by bytes or by lines.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadFileRequest {
    /// Path under the workspace, e.g. src/main.py.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// Return text or base64. Default: text, if the content is text.
    pub encoding: Option<Encoding>,
    /// First byte to read, from 0. Not together with startLine or lineCount.
    pub offset: Option<u64>,
    /// Maximum bytes to read. Default 262144 for a part; over MCP 32768, at most 524288.
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::FILE_MAX_BYTES)))]
    pub max_bytes: Option<u64>,
    /// First line to read, from 1.
    #[cfg_attr(schemas, schemars(range(min = 1)))]
    pub start_line: Option<u64>,
    /// Maximum lines to read. Default: as many as fit.
    #[cfg_attr(schemas, schemars(range(min = 1)))]
    pub line_count: Option<u64>,
    /// Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    /// Default: the active workspace.
    pub at: Option<TreeSelector>,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
}

impl ReadFileRequest {
    /// The requested part. None: the whole file.
    pub(crate) fn range(&self) -> Result<Option<ReadRange>> {
        let length = self.max_bytes.unwrap_or(READ_PART_DEFAULT_BYTES);
        if !(1..=FILE_MAX_BYTES).contains(&length) {
            return Err(Error::invalid("maxBytes", format!("must be 1 to {FILE_MAX_BYTES}")));
        }
        let by_lines = self.start_line.is_some() || self.line_count.is_some();
        if by_lines && self.offset.is_some() {
            return Err(Error::invalid("offset", "cannot be combined with startLine or lineCount"));
        }
        if by_lines {
            let first = self.start_line.unwrap_or(1);
            // The shell in the container counts in signed 64-bit numbers.
            let count = self.line_count.unwrap_or(u64::from(u32::MAX));
            return match (first, count) {
                (0, _) => Err(Error::invalid("startLine", "must be at least 1")),
                (_, 0) => Err(Error::invalid("lineCount", "must be at least 1")),
                _ => Ok(Some(ReadRange::Lines {
                    first: first.min(u64::from(u32::MAX)),
                    count: count.min(u64::from(u32::MAX)),
                    length,
                })),
            };
        }
        if self.offset.is_none() && self.max_bytes.is_none() {
            return Ok(None);
        }
        let offset = self.offset.unwrap_or(0).min(i64::MAX.unsigned_abs() - FILE_MAX_BYTES);
        Ok(Some(ReadRange::Bytes { offset, length }))
    }
}

impl Session {
    /// Reads a file of a workspace or of a snapshot, or a part of it.
    ///
    /// # Errors
    /// `NOT_FOUND`; `TOO_LARGE` for a whole file past 2 MiB; `INVALID_ARGUMENT`; as a restore.
    pub async fn read_file(&self, request: ReadFileRequest) -> Result<Seen<ReadFileResult>> {
        let files = Files::from(self);
        match files.context.sight(request.at.as_ref())? {
            Sight::Workspace(named) => files.read(named.as_ref(), request).await.map(Seen::from),
            Sight::Snapshot(r#ref) => {
                let request = ReadSnapshotFile {
                    r#ref,
                    allow_cross_session: request.allow_cross_session,
                    path: request.path,
                    encoding: request.encoding,
                    offset: request.offset,
                    max_bytes: request.max_bytes,
                    start_line: request.start_line,
                    line_count: request.line_count,
                };
                SnapshotFiles::from(self).read(request).await
            }
        }
    }
}

impl Files<'_> {
    async fn read(
        &self,
        workspace: Option<&WorkspaceRef>,
        request: ReadFileRequest,
    ) -> Result<Placed<ReadFileResult>> {
        let range = request.range()?;
        let place = self.readable_place(workspace, &request.path).await?;
        let options = FileOptions { encoding: request.encoding, range, ..place.options() };
        let read = place.sandbox().read_file(place.path.clone(), options).await?;
        Ok(place.answers(read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn range(part: Value) -> std::result::Result<Option<ReadRange>, String> {
        let mut input = json!({ "path": "a" });
        input.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        let request: ReadFileRequest = serde_json::from_value(input).unwrap();
        request.range().map_err(|error| error.message)
    }

    #[test]
    fn a_part_is_bytes_or_lines_or_all() {
        let length = READ_PART_DEFAULT_BYTES;
        assert_eq!(range(json!({})), Ok(None));
        assert_eq!(
            range(json!({ "maxBytes": 3 })),
            Ok(Some(ReadRange::Bytes { offset: 0, length: 3 }))
        );
        assert_eq!(
            range(json!({ "startLine": 5, "lineCount": 2 })),
            Ok(Some(ReadRange::Lines { first: 5, count: 2, length }))
        );
        for (bad, says) in [
            (json!({ "maxBytes": 0 }), "maxBytes"),
            (json!({ "maxBytes": FILE_MAX_BYTES + 1 }), "maxBytes"),
            (json!({ "startLine": 0 }), "startLine"),
            (json!({ "lineCount": 0 }), "lineCount"),
            (json!({ "offset": 1, "startLine": 1 }), "offset"),
        ] {
            let said = range(bad).unwrap_err();
            assert!(said.contains(says), "{said} should say {says}");
        }
    }
}
