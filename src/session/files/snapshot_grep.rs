//! Find lines in files of a snapshot.

use crate::domain::files::glob::{Glob, Work};
use crate::domain::files::lines::{LinePattern, SearchWork, lines_around};
use crate::domain::limits::{
    ARCHIVE_ENTRIES_MAX, ARCHIVE_SEARCH_MAX_BYTES, FILE_MAX_BYTES, GREP_CONTEXT_MAX_LINES,
    GREP_DEFAULT_LINES, GREP_MAX_LINES,
};
use crate::domain::page::checked_limit;
use crate::domain::{Error, Result, SnapshotSelector};
use crate::ports::sandbox::{FoundLine, FoundPath};
use crate::session::Session;
use crate::session::files::snapshot::Found;
use crate::session::files::snapshot::SnapshotFiles;
use crate::session::files::snapshot::TreeCursor;
use crate::session::files::{Seen, root_path};
use crate::session::parts::OpenSnapshot;
use crate::squashfs::{Node, NodeKind};
use serde::{Deserialize, Serialize};

const TOO_LARGE_SHOWN: usize = 20;

/// Which lines of a snapshot's files to find.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchSnapshot {
    /// The snapshot: its ref, its id, or its name in this session.
    pub r#ref: SnapshotSelector,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Regular expression, e.g. fn \w+_file, or, with fixed, the literal text.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATTERN_MAX_BYTES)))]
    pub pattern: String,
    /// Directory or file under the snapshot's root. Default: the root.
    #[serde(default = "root_path")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// Treat pattern as literal text.
    #[serde(default)]
    pub fixed: bool,
    /// Ignore case of ASCII letters.
    #[serde(default)]
    pub ignore_case: bool,
    /// Only files whose paths match, e.g. *.py.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATTERN_MAX_BYTES)))]
    pub glob: Option<String>,
    /// Lines to show before and after each match.
    #[serde(default)]
    #[cfg_attr(schemas, schemars(range(max = crate::domain::limits::GREP_CONTEXT_MAX_LINES)))]
    pub context: u32,
    /// Also files in .git.
    #[serde(default)]
    pub include_ignored: bool,
    /// Maximum number of lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::GREP_MAX_LINES), extend("default" = crate::domain::limits::GREP_DEFAULT_LINES)))]
    pub limit: Option<usize>,
    /// `nextCursor` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of lines of a snapshot's files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SearchedSnapshot {
    /// By path, from the snapshot's root, then by line.
    pub lines: Vec<FoundLine>,
    /// Files that this page searched.
    pub searched_files: u64,
    /// What this page passed over.
    pub not_searched: NotSearched,
    /// Where the next page begins, if not all has been searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// What a search passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NotSearched {
    /// Number of files that are not text.
    pub binary: u64,
    /// Number of files larger than 2 MiB.
    pub too_large: u64,
    /// The first 20 of these files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub too_large_files: Vec<FoundPath>,
    /// Number of lines that are too long for so costly a pattern.
    #[serde(default, skip_serializing_if = "crate::domain::is_zero")]
    pub long_lines: u64,
    /// Number of .git directories.
    pub git: u64,
}

impl Session {
    /// Finds lines in files of a snapshot. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT`; the errors of a restore.
    pub async fn search_snapshot(&self, request: SearchSnapshot) -> Result<SearchedSnapshot> {
        Ok(SnapshotFiles::from(self).grep(request).await?.answer)
    }
}

impl SnapshotFiles<'_> {
    pub(crate) async fn grep(&self, request: SearchSnapshot) -> Result<Seen<SearchedSnapshot>> {
        let max = checked_limit(request.limit, GREP_DEFAULT_LINES, GREP_MAX_LINES)?;
        if request.context > GREP_CONTEXT_MAX_LINES {
            return Err(Error::invalid(
                "context",
                format!("must be 0 to {GREP_CONTEXT_MAX_LINES}"),
            ));
        }
        let pattern = LinePattern::parse(&request.pattern, request.fixed, request.ignore_case)?;
        let glob = request.glob.as_deref().map(|glob| Glob::parse("glob", glob)).transpose()?;
        let after = request.cursor.as_deref().map(TreeCursor::decode).transpose()?;
        let snapshot = self.open("grep", &request.r#ref, request.allow_cross_session).await?;
        let root = snapshot.find(&request.path).await?;
        let mut search = Search {
            snapshot: &snapshot,
            root: &root,
            pattern,
            context: request.context as usize,
            left_lines: max,
            left_bytes: ARCHIVE_SEARCH_MAX_BYTES,
            work: SearchWork::default(),
            page: SearchedSnapshot::default(),
        };
        let next = search.run(glob.as_ref(), request.include_ignored, after).await?;
        search.page.next_cursor = next.map(TreeCursor::encode).transpose()?;
        let page = search.page;
        Ok(Seen::archived(snapshot.id.clone(), page))
    }
}

struct Search<'a> {
    snapshot: &'a OpenSnapshot,
    root: &'a Found,
    pattern: LinePattern,
    context: usize,
    left_lines: usize,
    left_bytes: u64,
    work: SearchWork,
    page: SearchedSnapshot,
}

impl Search<'_> {
    /// Returns where the next page begins.
    async fn run(
        &mut self,
        glob: Option<&Glob>,
        include_ignored: bool,
        after: Option<TreeCursor>,
    ) -> Result<Option<TreeCursor>> {
        if !matches!(self.root.node.kind, NodeKind::Directory) {
            let after_line = after.map_or(Some(0), |after| after.line);
            return match after_line {
                Some(line) => self.file(&[], &self.root.node, line).await,
                None => Ok(None),
            };
        }
        let after = after.unwrap_or_default();
        if let Some(line) = after.line {
            let node = self.root_child(&after.path).await?;
            if let Some(next) = self.file(&after.path, &node, line).await? {
                return Ok(Some(next));
            }
        }
        let globbing = Work::default();
        let mut last = after.path;
        let mut walk = self.snapshot.tree.walk_after(&self.root.node, &last).await?;
        if !include_ignored && is_git(&last) {
            walk.skip();
        }
        for _ in 0..ARCHIVE_ENTRIES_MAX {
            let Some((path, node)) = walk.next().await? else { return Ok(None) };
            let is_dir = matches!(node.kind, NodeKind::Directory);
            if is_dir && !include_ignored && is_git(&path) {
                self.page.not_searched.git += 1;
                walk.skip();
            } else if glob.is_none_or(|glob| glob.matches(&path, &globbing)) {
                if size_of(&node) > self.left_bytes || self.left_lines == 0 || self.work.is_done() {
                    return Ok(Some(TreeCursor { path: last, line: None }));
                }
                if let Some(next) = self.file(&path, &node, 0).await? {
                    return Ok(Some(next));
                }
            }
            last = path;
            if globbing.is_done() {
                break;
            }
        }
        Ok(Some(TreeCursor { path: last, line: None }))
    }

    async fn root_child(&self, path: &[u8]) -> Result<Node> {
        let whole = self.root.below(path);
        let node = self.snapshot.tree.find(&whole).await?;
        node.ok_or_else(|| Error::invalid("cursor", "belongs to another list"))
    }

    /// Searches after line `after`. Returns where to go on if the page is full.
    async fn file(&mut self, path: &[u8], node: &Node, after: u64) -> Result<Option<TreeCursor>> {
        let NodeKind::File { size_bytes } = node.kind else { return Ok(None) };
        let whole = self.root.below(path);
        if size_bytes > FILE_MAX_BYTES {
            self.page.not_searched.too_large += 1;
            if self.page.not_searched.too_large_files.len() < TOO_LARGE_SHOWN {
                self.page.not_searched.too_large_files.push(FoundPath::of(&whole));
            }
            return Ok(None);
        }
        let bytes = self.snapshot.tree.read(node, 0, size_bytes).await?;
        self.left_bytes = self.left_bytes.saturating_sub(size_bytes);
        if bytes.contains(&0) {
            self.page.not_searched.binary += 1;
            return Ok(None);
        }
        self.page.searched_files += 1;
        for line in lines_around(&self.pattern, &bytes, self.context, after, &self.work) {
            if self.left_lines == 0 {
                return Ok(Some(TreeCursor { path: path.to_vec(), line: Some(line.number - 1) }));
            }
            self.left_lines -= 1;
            self.page.lines.push(FoundLine {
                file: FoundPath::of(&whole),
                line: Some(line.number),
                text: line.text,
                cut: line.cut,
                matches: line.matches,
            });
        }
        self.page.not_searched.long_lines += self.work.take_passed();
        let ended = self.work.take_ended();
        Ok(ended.map(|line| TreeCursor { path: path.to_vec(), line: Some(line - 1) }))
    }
}

pub(crate) fn is_git(path: &[u8]) -> bool {
    path == b".git" || path.ends_with(b"/.git")
}

fn size_of(node: &Node) -> u64 {
    match node.kind {
        NodeKind::File { size_bytes } if size_bytes <= FILE_MAX_BYTES => size_bytes,
        _ => 0,
    }
}
