//! List files of a snapshot.

use crate::domain::files::glob::{Glob, Work};
use crate::domain::limits::{
    ARCHIVE_ENTRIES_MAX, LIST_FILES_DEFAULT_ENTRIES, LIST_FILES_MAX_ENTRIES,
};
use crate::domain::page::checked_limit;
use crate::domain::{Error, Result, SnapshotSelector};
use crate::ports::sandbox::FoundPath;
use crate::session::Session;
use crate::session::files::list::yes;
use crate::session::files::snapshot::SnapshotFiles;
use crate::session::files::snapshot::TreeCursor;
use crate::session::files::snapshot::{Found, file_type, size_bytes};
use crate::session::files::snapshot::{mode, modified_at};
use crate::session::files::snapshot_grep::is_git;
use crate::session::files::{
    FindFilesRequest, FoundFileList, ListedEntry, ListedFiles, Seen, root_path,
};
use crate::session::parts::OpenSnapshot;
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
    /// Also list names that begin with a dot.
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

impl Session {
    /// Lists a directory of a snapshot. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT`; the errors of a restore.
    pub async fn list_snapshot_files(&self, request: ListSnapshotFiles) -> Result<ListedFiles> {
        Ok(SnapshotFiles::from(self).list(request).await?.answer)
    }
}

impl SnapshotFiles<'_> {
    pub(crate) async fn list(&self, request: ListSnapshotFiles) -> Result<Seen<ListedFiles>> {
        let from = PageStart::asked(request.limit, request.cursor.as_deref())?;
        let glob = request.glob.as_deref().map(|glob| Glob::parse("glob", glob)).transpose()?;
        let snapshot = self.open("listFiles", &request.r#ref, request.allow_cross_session).await?;
        let dir = snapshot.find(&request.path).await?;
        let wanted = Wanted {
            recursive: request.recursive,
            hidden: request.include_hidden,
            git: true,
            only_files: false,
            glob,
        };
        let (entries, next) = page(&snapshot, &dir, &request.path, &wanted, from).await?;
        let next_cursor = next.map(TreeCursor::encode).transpose()?;
        Ok(Seen::archived(snapshot.id.clone(), ListedFiles { entries, next_cursor }))
    }

    pub(crate) async fn find(
        &self,
        named: &SnapshotSelector,
        request: FindFilesRequest,
    ) -> Result<Seen<FoundFileList>> {
        let from = PageStart::asked(request.limit, request.cursor.as_deref())?;
        let glob = Glob::parse("pattern", &request.pattern)?;
        let snapshot = self.open("listFiles", named, request.allow_cross_session).await?;
        let dir = snapshot.find(&request.path).await?;
        let wanted = Wanted {
            recursive: true,
            hidden: true,
            git: request.include_ignored,
            only_files: true,
            glob: Some(glob),
        };
        let (entries, next) = page(&snapshot, &dir, &request.path, &wanted, from).await?;
        let files = entries.into_iter().map(|entry| entry.path).collect();
        let next_cursor = next.map(TreeCursor::encode).transpose()?;
        Ok(Seen::archived(snapshot.id.clone(), FoundFileList { files, next_cursor }))
    }
}

struct Wanted {
    recursive: bool,
    hidden: bool,
    git: bool,
    only_files: bool,
    glob: Option<Glob>,
}

impl Wanted {
    fn skips(&self, path: &[u8]) -> bool {
        !self.recursive || !self.hidden && is_hidden(path) || !self.git && is_git(path)
    }

    fn shows(&self, path: &[u8], node: &Node, work: &Work) -> bool {
        (self.hidden || !is_hidden(path))
            && (!self.only_files || matches!(node.kind, NodeKind::File { .. }))
            && self.glob.as_ref().is_none_or(|glob| glob.matches(path, work))
    }
}

struct PageStart {
    after: TreeCursor,
    max: usize,
}

impl PageStart {
    fn asked(asked: Option<usize>, cursor: Option<&str>) -> Result<Self> {
        let max = checked_limit(asked, LIST_FILES_DEFAULT_ENTRIES, LIST_FILES_MAX_ENTRIES)?;
        Ok(Self { after: cursor.map(TreeCursor::decode).transpose()?.unwrap_or_default(), max })
    }
}

async fn page(
    snapshot: &OpenSnapshot,
    dir: &Found,
    path: &str,
    wanted: &Wanted,
    PageStart { after, max }: PageStart,
) -> Result<(Vec<ListedEntry>, Option<TreeCursor>)> {
    if !matches!(dir.node.kind, NodeKind::Directory) {
        return Err(Error::invalid("path", format!("{path} is not a directory")));
    }
    let mut walk = snapshot.tree.walk_after(&dir.node, &after.path).await?;
    if !after.path.is_empty() && wanted.skips(&after.path) {
        walk.skip();
    }
    let mut entries = Vec::new();
    let work = Work::default();
    let mut last = Vec::new();
    for _ in 0..ARCHIVE_ENTRIES_MAX {
        let Some((path, node)) = walk.next().await? else { return Ok((entries, None)) };
        if entries.len() == max || work.is_done() {
            break;
        }
        if wanted.skips(&path) {
            walk.skip();
        }
        if wanted.shows(&path, &node, &work) {
            entries.push(entry(&dir.below(&path), &node));
        }
        last = path;
    }
    Ok((entries, Some(TreeCursor { path: last, line: None })))
}

fn is_hidden(path: &[u8]) -> bool {
    path.rsplit(|byte| *byte == b'/').next().is_some_and(|name| name.starts_with(b"."))
}

fn entry(path: &[u8], node: &Node) -> ListedEntry {
    ListedEntry {
        path: FoundPath::of(path),
        r#type: file_type(node),
        size_bytes: size_bytes(node),
        modified_at: modified_at(node),
        mode: mode(node),
    }
}
