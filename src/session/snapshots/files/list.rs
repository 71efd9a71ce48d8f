//! List files of a snapshot.

use crate::domain::error::{Error, Result};
use crate::domain::files::glob::{Glob, Work};
use crate::domain::limits::{
    ARCHIVE_ENTRIES_MAX, LIST_FILES_DEFAULT_ENTRIES, LIST_FILES_MAX_ENTRIES,
};
use crate::domain::snapshot::selector::SnapshotSelector;
use crate::ports::sandbox::FoundPath;
use crate::session::Session;
use crate::session::files::list::yes;
use crate::session::files::{ListedEntry, limit, root_path};
use crate::session::snapshots::files::SnapshotFiles;
use crate::session::snapshots::files::cursor::TreeCursor;
use crate::session::snapshots::files::path::{file_type, size_bytes};
use crate::session::snapshots::files::stat::{mode, modified_at};
use crate::squashfs::{Node, NodeKind};
use serde::{Deserialize, Serialize};

/// Which files of a snapshot to list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListSnapshotFiles {
    /// The snapshot: its ref, its id, or its name in this session.
    pub r#ref: SnapshotSelector,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Directory under the snapshot's root. Default: the root.
    #[serde(default = "root_path")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// Also list its directories' contents.
    #[serde(default)]
    pub recursive: bool,
    /// Also names that begin with a dot.
    #[serde(default = "yes")]
    pub include_hidden: bool,
    /// Only paths that match, e.g. *.py or src/*.ts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATTERN_MAX_BYTES)))]
    pub glob: Option<String>,
    /// Maximum number of entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::LIST_FILES_MAX_ENTRIES), extend("default" = crate::domain::limits::LIST_FILES_DEFAULT_ENTRIES)))]
    pub limit: Option<usize>,
    /// `nextCursor` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of files of a snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SnapshotFilePage {
    /// By path. Sizes of directories are 0.
    pub entries: Vec<ListedEntry>,
    /// Where the next page begins. A page may have fewer entries than asked for,
    /// even none, if few of many files match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl Session {
    /// Lists a directory of a snapshot. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` if it is not a directory, or outside the
    /// snapshot; as a restore of it.
    pub async fn list_snapshot_files(
        &self,
        request: ListSnapshotFiles,
    ) -> Result<SnapshotFilePage> {
        SnapshotFiles::from(self).list(request).await
    }
}

impl SnapshotFiles<'_> {
    pub async fn list(&self, request: ListSnapshotFiles) -> Result<SnapshotFilePage> {
        let max = limit(request.limit, LIST_FILES_DEFAULT_ENTRIES, LIST_FILES_MAX_ENTRIES)?
            .unwrap_or(LIST_FILES_DEFAULT_ENTRIES);
        let glob = request.glob.as_deref().map(|glob| Glob::parse("glob", glob)).transpose()?;
        let after =
            request.cursor.as_deref().map(TreeCursor::decode).transpose()?.unwrap_or_default();
        let snapshot = self.open("listFiles", &request.r#ref, request.allow_cross_session).await?;
        let dir = snapshot.find(&request.path).await?;
        if !matches!(dir.node.kind, NodeKind::Directory) {
            return Err(Error::invalid("path", format!("{} is not a directory", request.path)));
        }
        let mut walk = snapshot.tree.walk_after(&dir.node, &after.path).await?;
        let was_hidden = is_hidden(&after.path) && !request.include_hidden;
        if !after.path.is_empty() && (was_hidden || !request.recursive) {
            walk.skip();
        }
        let mut page = SnapshotFilePage::default();
        let globbing = Work::default();
        let mut last = Vec::new();
        for _ in 0..ARCHIVE_ENTRIES_MAX {
            let Some((path, node)) = walk.next().await? else { return Ok(page) };
            if page.entries.len() == max || globbing.is_done() {
                break;
            }
            let hidden = is_hidden(&path) && !request.include_hidden;
            if hidden || !request.recursive {
                walk.skip();
            }
            if !hidden && glob.as_ref().is_none_or(|glob| glob.matches(&path, &globbing)) {
                page.entries.push(entry(&dir.below(&path), &node));
            }
            last = path;
        }
        page.next_cursor = Some(TreeCursor { path: last, line: None }.encode()?);
        Ok(page)
    }
}

fn is_hidden(path: &[u8]) -> bool {
    path.rsplit(|byte| *byte == b'/').next().is_some_and(|name| name.starts_with(b"."))
}

fn entry(path: &[u8], node: &Node) -> ListedEntry {
    ListedEntry {
        path: FoundPath::of(path),
        r#type: file_type(node),
        size: size_bytes(node),
        modified_at: modified_at(node),
        mode: mode(node),
    }
}
