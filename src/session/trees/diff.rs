//! Show what differs between two snapshots or workspaces.

use crate::domain::diff::patch::{FileChange, Patch, PatchOptions, Written};
use crate::domain::diff::text::{is_binary, unified};
use crate::domain::files::glob::Glob;
use crate::domain::limits::{
    DIFF_CONTEXT_MAX_LINES, DIFF_DEFAULT_CHANGES, DIFF_DEFAULT_TEXT_BYTES, DIFF_MAX_CHANGES,
    DIFF_MAX_TEXT_BYTES,
};
use crate::domain::page::checked_limit;
use crate::domain::tree::TreeEntry;
use crate::domain::tree::changes::{Change, ChangeCounts, ChangeKind};
use crate::domain::{BackupId, Error, Result, SandboxId, TreeSelector};
use crate::session::Session;
use crate::session::parts::shown::{NoText, ShownChange, ignored};
use crate::session::parts::{IgnoredChanges, LoadedSession};
use crate::session::trees::Trees;
use crate::session::trees::contents::{Changed, changed};
use crate::session::trees::differences::Comparing;
use crate::session::trees::sides::{Loader, Side};
use crate::session::trees::tree::{ComparedTree, NamedTree, Tree};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};

const CONTEXT_LINES: u32 = 3;

/// Which trees to compare, and what to show.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct DiffRequest {
    /// The older side. Default: the last turn or requested snapshot of the newer side's workspace;
    /// automatic saves do not count. The answer names it as from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<TreeSelector>,
    /// The newer side. Default: the active workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<TreeSelector>,
    /// Also reach other sessions' snapshots; each such call is recorded.
    pub allow_cross_session: bool,
    /// Only this file, or this directory and everything below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: Option<String>,
    /// Only paths that match, e.g. *.py or src/*.ts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATTERN_MAX_BYTES)))]
    pub glob: Option<String>,
    /// List changes in .git and in ignored files (.gitignore) too, instead of counting them.
    pub include_ignored: bool,
    /// Compare all contents, even of files with equal size and time.
    pub content: bool,
    /// How to show changed contents.
    pub output: DiffOutput,
    /// Lines around each change, default 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(max = crate::domain::limits::DIFF_CONTEXT_MAX_LINES)))]
    pub context: Option<u32>,
    /// Maximum bytes of all texts, or of the patch. Default 32768.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::DIFF_MAX_TEXT_BYTES)))]
    pub max_bytes: Option<usize>,
    /// Maximum number of changes. Default 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::DIFF_MAX_CHANGES)))]
    pub limit: Option<usize>,
    /// Changes to skip: nextOffset of the previous answer.
    pub offset: u64,
}

/// What to show of the contents of changed files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum DiffOutput {
    /// A unified diff with each change.
    #[default]
    Text,
    /// One patch for `git apply`.
    Patch,
    /// Nothing.
    List,
}

/// What differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TreeDiff {
    /// The older side.
    pub from: ComparedTree,
    /// The newer side.
    pub to: ComparedTree,
    /// All changes, listed or not, without ignored files.
    pub counts: ChangeCounts,
    /// By path.
    pub changes: Vec<ShownChange>,
    /// `offset` of the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// Number of files beyond the limit of a call, not compared. They are not listed, and may have
    /// changed.
    #[serde(default, skip_serializing_if = "crate::domain::is_zero")]
    pub not_compared: u64,
    /// Counts of changes in .git and in ignored files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<IgnoredChanges>,
    /// The patch. It contains the listed changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// The patch in base64, if it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch_base64: Option<String>,
    /// Whether texts or parts of the patch are omitted because of maxBytes.
    pub truncated: bool,
}

impl Session {
    /// Compares two snapshots or workspaces. Starts no container.
    ///
    /// # Errors
    /// As a restore; `WORKSPACE_NOT_OWNED`; `CONFLICT` if not ready; `TOO_LARGE`.
    pub async fn diff(&self, request: DiffRequest) -> Result<TreeDiff> {
        Trees::from(self).diff(request).await
    }
}

pub(crate) struct Asked {
    pub comparing: Comparing,
    output: DiffOutput,
    context: usize,
    max_bytes: usize,
    limit: usize,
    offset: usize,
}

impl Asked {
    fn parse(request: &DiffRequest) -> Result<Self> {
        let context = request.context.unwrap_or(CONTEXT_LINES);
        if context > DIFF_CONTEXT_MAX_LINES {
            let problem = format!("must be 0 to {DIFF_CONTEXT_MAX_LINES}");
            return Err(Error::invalid("context", problem));
        }
        let max_bytes = request.max_bytes.unwrap_or(DIFF_DEFAULT_TEXT_BYTES);
        if !(1..=DIFF_MAX_TEXT_BYTES).contains(&max_bytes) {
            return Err(Error::invalid("maxBytes", format!("must be 1 to {DIFF_MAX_TEXT_BYTES}")));
        }
        let path = request.path.as_deref().map(relative).transpose()?;
        Ok(Self {
            comparing: Comparing {
                all_contents: request.content,
                include_ignored: request.include_ignored,
                path: path.filter(|path| !path.is_empty()),
                glob: request.glob.as_deref().map(|glob| Glob::parse("glob", glob)).transpose()?,
                ..Comparing::default()
            },
            output: request.output,
            context: context as usize,
            max_bytes,
            limit: checked_limit(request.limit, DIFF_DEFAULT_CHANGES, DIFF_MAX_CHANGES)?,
            offset: usize::try_from(request.offset).unwrap_or(usize::MAX),
        })
    }

    pub(crate) fn of_glob(glob: Option<&str>) -> Result<Self> {
        Self::parse(&DiffRequest { glob: glob.map(str::to_owned), ..DiffRequest::default() })
    }
}

fn relative(path: &str) -> Result<Vec<u8>> {
    let names: Vec<&str> =
        path.split('/').filter(|name| !name.is_empty() && *name != ".").collect();
    if path.starts_with('/') || names.contains(&"..") || path.contains('\0') {
        return Err(Error::invalid("path", "must be relative to the root, without .. in it"));
    }
    Ok(names.join("/").into_bytes())
}

impl Trees<'_> {
    pub(crate) async fn has_changed_since(
        &self,
        loaded: &LoadedSession,
        id: &SandboxId,
        base: &BackupId,
    ) -> Result<bool> {
        let room = self.archives.room().await?;
        let now = self.open_workspace(&room, loaded, id).await?;
        if now.archive().is_some_and(|saved| saved.id == *base) {
            return Ok(false);
        }
        let snapshot = self.open_by_id(&room, loaded, base).await?;
        let base = Tree::Archive { snapshot, sandbox_id: None };
        self.relate(&room, loaded, &now, &base).await?;
        let none = Tree::Empty { sandbox_id: None };
        let found = changed(&base, &now, &none, &Comparing::default()).await?;
        Ok(!found.list.is_empty())
    }

    pub(crate) async fn diff(&self, request: DiffRequest) -> Result<TreeDiff> {
        let asked = Asked::parse(&request)?;
        let loaded = self.context.load()?;
        loaded.require_snapshots()?;
        let room = self.archives.room().await?;
        let to = self.context.side(&loaded, request.to.as_ref().unwrap_or(&TreeSelector::Now))?;
        let from =
            request.from.as_ref().map(|from| self.context.side(&loaded, from)).transpose()?;
        let crossing = request.allow_cross_session;
        let open =
            async |named: &NamedTree| self.open(&room, &loaded, "diff", named, crossing).await;
        let (old, new) = match &from {
            // Like all callers, in the order of ids: no two calls wait for each other's workspace.
            Some(from) if from.sandbox_id() < to.sandbox_id() => {
                let old = open(from).await?;
                (old, open(&to).await?)
            }
            Some(from) => {
                let new = open(&to).await?;
                (open(from).await?, new)
            }
            None => {
                let new = open(&to).await?;
                (self.open_last_saved(&room, &loaded, &to, &new).await?, new)
            }
        };
        // Two running workspaces are compared by what each has changed.
        let base = match (&old, &new) {
            (Tree::Live(_), Tree::Live(live)) => {
                let id = &live.active.workspace.sandbox_id;
                let origin = self.open_origin(&room, &loaded, id).await;
                origin.unwrap_or(Tree::Empty { sandbox_id: None })
            }
            _ => Tree::Empty { sandbox_id: None },
        };
        self.relate(&room, &loaded, &new, if matches!(old, Tree::Live(_)) { &base } else { &old })
            .await?;
        self.relate(&room, &loaded, &old, if matches!(new, Tree::Live(_)) { &base } else { &new })
            .await?;
        let found = changed(&old, &new, &base, &asked.comparing).await?;
        let sides = (self.context.described(&old)?, self.context.described(&new)?);
        show(&old, &new, sides, found, &asked).await
    }
}

async fn show(
    old: &Tree,
    new: &Tree,
    (from, to): (ComparedTree, ComparedTree),
    found: Changed,
    asked: &Asked,
) -> Result<TreeDiff> {
    let mut counts = ChangeCounts::default();
    for change in &found.list {
        counts.count(change.kind);
    }
    let all = found.list.len();
    let mut page: Vec<Change> = found.list;
    page.drain(..asked.offset.min(all));
    page.truncate(asked.limit);
    let end = asked.offset.saturating_add(page.len());
    let mut diff = TreeDiff {
        from,
        to,
        counts,
        changes: page.iter().map(ShownChange::of).collect(),
        next_offset: (end < all).then_some(end as u64),
        not_compared: found.unread,
        ignored: ignored(found.set_aside, asked.limit),
        patch: None,
        patch_base64: None,
        truncated: false,
    };
    match asked.output {
        DiffOutput::List => {}
        DiffOutput::Text => add_texts(&mut diff, old, new, &page, asked).await?,
        DiffOutput::Patch => add_patch(&mut diff, old, new, &page, asked).await?,
    }
    Ok(diff)
}

async fn add_texts(
    diff: &mut TreeDiff,
    old: &Tree,
    new: &Tree,
    page: &[Change],
    asked: &Asked,
) -> Result<()> {
    let mut left = asked.max_bytes;
    let mut loader = Loader::new(old, new, page);
    for (change, shown) in page.iter().zip(&mut diff.changes) {
        if !has_text(change) {
            continue;
        }
        if left == 0 || loader.is_done() {
            (shown.no_text, diff.truncated) = (Some(NoText::NoRoom), true);
            continue;
        }
        let (before, after) = loader.load(change).await?;
        let (before, after) = match (before, after) {
            (Side::TooLarge { .. }, _) | (_, Side::TooLarge { .. }) => {
                shown.no_text = Some(NoText::TooLarge);
                continue;
            }
            (before, after) => (before.into_text(), after.into_text()),
        };
        if is_binary(&before) || is_binary(&after) {
            shown.no_text = Some(NoText::Binary);
            continue;
        }
        let hunks = unified(&before, &after, asked.context, left);
        left = left.saturating_sub(hunks.text.len());
        if hunks.truncated {
            (shown.no_text, diff.truncated, left) = (Some(NoText::NoRoom), true, 0);
        }
        if !hunks.text.is_empty() {
            shown.text = Some(String::from_utf8_lossy(&hunks.text).into_owned());
        }
    }
    Ok(())
}

async fn add_patch(
    diff: &mut TreeDiff,
    old: &Tree,
    new: &Tree,
    page: &[Change],
    asked: &Asked,
) -> Result<()> {
    let max_bytes = asked.max_bytes;
    let options = PatchOptions { context: asked.context, max_bytes, binary_max_bytes: max_bytes };
    let mut patch = Patch::new(options);
    let mut loader = Loader::new(old, new, page);
    for (change, shown) in page.iter().zip(&mut diff.changes) {
        if loader.is_done() {
            (shown.no_text, diff.truncated) = (Some(NoText::NoRoom), true);
            continue;
        }
        let (before, after) = loader.load(change).await?;
        let (before, after) = (before.as_file(change.old_path()), after.as_file(&change.path));
        let change = match (before, after) {
            (None, None) => continue,
            (None, Some(new)) => FileChange::Added(new),
            (Some(old), None) => FileChange::Deleted(old),
            (Some(old), Some(new)) => FileChange::Changed(old, new),
        };
        shown.no_text = match patch.add(change) {
            Written::Whole => None,
            Written::WithoutContent => Some(NoText::Binary),
            Written::Refused => Some(NoText::Refused),
            Written::NoRoom => Some(NoText::NoRoom),
        };
        diff.truncated |= shown.no_text == Some(NoText::NoRoom);
    }
    match String::from_utf8(patch.into_bytes()) {
        Ok(text) => diff.patch = Some(text),
        Err(bytes) => diff.patch_base64 = Some(BASE64.encode(bytes.as_bytes())),
    }
    Ok(())
}

fn has_text(change: &Change) -> bool {
    let is_file =
        |entry: &Option<TreeEntry>| entry.as_ref().is_some_and(|e| e.file_bytes().is_some());
    match change.kind {
        ChangeKind::Added | ChangeKind::Modified => is_file(&change.new),
        ChangeKind::Removed => is_file(&change.old),
        ChangeKind::Type => is_file(&change.old) || is_file(&change.new),
        _ => false,
    }
}
