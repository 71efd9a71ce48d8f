//! Load what a change is about: the contents before and after.

use crate::domain::diff::patch::{File, FileMode};
use crate::domain::limits::{DIFF_FILE_MAX_BYTES, TREE_TEXTS_MAX_BYTES};
use crate::domain::tree::changes::Change;
use crate::domain::tree::{TreeEntry, TreeKind};
use crate::domain::{BackupId, ErrorCode, Result, SandboxId};
use crate::session::parts::{ArchiveRoom, LoadedSession};
use crate::session::trees::Trees;
use crate::session::trees::contents::Content;
use crate::session::trees::tree::Tree;
use std::collections::BTreeMap;

/// Contents that are loaded at once, in bytes of each tree.
const BATCH_BYTES: u64 = 1024 * 1024;
const BATCH_FILES: usize = 100;

pub(crate) enum Side {
    Absent,
    TooLarge { mode: FileMode },
    Content { mode: FileMode, bytes: Vec<u8> },
}

impl Side {
    pub(crate) fn into_text(self) -> Vec<u8> {
        match self {
            Self::Content { bytes, .. } => bytes,
            Self::Absent | Self::TooLarge { .. } => Vec::new(),
        }
    }

    pub(crate) fn as_file<'a>(&'a self, path: &'a [u8]) -> Option<File<'a>> {
        match self {
            Self::Absent => None,
            Self::TooLarge { mode } => Some(File { path, mode: *mode, content: None }),
            Self::Content { mode, bytes } => Some(File { path, mode: *mode, content: Some(bytes) }),
        }
    }
}

/// Loads contents of changes in their order, several at once.
pub(crate) struct Loader<'a> {
    old: &'a Tree,
    new: &'a Tree,
    rest: &'a [Change],
    olds: BTreeMap<Vec<u8>, Content>,
    news: BTreeMap<Vec<u8>, Content>,
    loaded: u64,
}

impl<'a> Loader<'a> {
    pub(crate) const fn new(old: &'a Tree, new: &'a Tree, changes: &'a [Change]) -> Self {
        let olds = BTreeMap::new();
        Self { old, new, rest: changes, olds, news: BTreeMap::new(), loaded: 0 }
    }

    pub(crate) const fn is_done(&self) -> bool {
        self.loaded >= TREE_TEXTS_MAX_BYTES
    }

    /// Changes must be asked for in order.
    pub(crate) async fn load(&mut self, change: &Change) -> Result<(Side, Side)> {
        while let Some(at) = self.rest.iter().position(|other| other.path == change.path) {
            self.rest = self.rest.get(at..).unwrap_or_default();
            self.load_batch().await?;
        }
        let old = side(change.old.as_ref(), self.olds.remove(change.old_path()));
        Ok((old, side(change.new.as_ref(), self.news.remove(&change.path))))
    }

    async fn load_batch(&mut self) -> Result<()> {
        let (mut olds, mut news): (Vec<&[u8]>, Vec<&[u8]>) = (Vec::new(), Vec::new());
        let mut bytes = 0;
        let mut count = 0;
        for change in self.rest.iter().take(BATCH_FILES) {
            let [old, new] = [&change.old, &change.new].map(|entry| {
                let size = entry.as_ref().and_then(TreeEntry::file_bytes);
                size.filter(|size| *size <= DIFF_FILE_MAX_BYTES)
            });
            let larger = old.unwrap_or_default().max(new.unwrap_or_default());
            if count > 0 && bytes + larger > BATCH_BYTES {
                break;
            }
            (bytes, count) = (bytes + larger, count + 1);
            olds.extend(old.map(|_| change.old_path()));
            news.extend(new.map(|_| change.path.as_slice()));
        }
        let max_bytes = DIFF_FILE_MAX_BYTES;
        (self.olds, self.news) = futures::try_join!(
            self.old.contents(&olds, max_bytes),
            self.new.contents(&news, max_bytes)
        )?;
        let contents = self.olds.values().chain(self.news.values());
        self.loaded += contents.map(|(bytes, _)| bytes.len() as u64).sum::<u64>();
        self.rest = self.rest.get(count..).unwrap_or_default();
        Ok(())
    }
}

fn side(entry: Option<&TreeEntry>, content: Option<Content>) -> Side {
    let Some(entry) = entry else { return Side::Absent };
    let mode = FileMode::of_file(entry.mode);
    match (&entry.kind, content) {
        // The file may have grown since it was listed.
        (TreeKind::File { .. }, Some((bytes, size_bytes))) if size_bytes <= DIFF_FILE_MAX_BYTES => {
            Side::Content { mode, bytes }
        }
        (TreeKind::File { size_bytes, .. }, content)
            if content.is_some() || *size_bytes > DIFF_FILE_MAX_BYTES =>
        {
            Side::TooLarge { mode }
        }
        (TreeKind::Symlink { target }, _) => {
            Side::Content { mode: FileMode::Symlink, bytes: target.clone() }
        }
        _ => Side::Absent,
    }
}

/// How far back ancestors are looked for, in snapshots.
const ANCESTORS_MAX: usize = 1_000;

impl Trees<'_> {
    /// Nearest first.
    pub(crate) fn ancestors_of_workspace(
        &self,
        loaded: &LoadedSession,
        id: &SandboxId,
    ) -> Result<Vec<BackupId>> {
        let workspace = self.context.usable(id)?;
        let heads = self.context.catalogue.heads_of(id)?;
        let head = heads.archive_of(&loaded.config.saved_dirs.main).cloned();
        let mut ancestors = self.ancestors_of_snapshot(head)?;
        if let Some(from) = workspace.from_backup_id
            && !ancestors.contains(&from)
        {
            ancestors.extend(self.ancestors_of_snapshot(Some(from))?);
        }
        Ok(ancestors)
    }

    /// With the snapshot itself, nearest first.
    pub(crate) fn ancestors_of_snapshot(&self, id: Option<BackupId>) -> Result<Vec<BackupId>> {
        let mut ancestors: Vec<BackupId> = Vec::new();
        let mut next = id;
        while let Some(id) = next.filter(|id| !ancestors.contains(id)) {
            // Another session's snapshot has no row here.
            next = self.context.catalogue.snapshot(&id)?.and_then(|row| row.parent_id);
            ancestors.push(id);
            if ancestors.len() == ANCESTORS_MAX {
                break;
            }
        }
        Ok(ancestors)
    }

    /// The nearest snapshot that is in all of `lines` and can be read, else no files. An older one
    /// serves as well, because all sides have the changes in between.
    pub(crate) async fn open_common_ancestor(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        lines: &[Vec<BackupId>],
    ) -> Result<Tree> {
        let Some((first, others)) = lines.split_first() else {
            return Ok(Tree::Empty { sandbox_id: None });
        };
        for id in first.iter().filter(|id| others.iter().all(|line| line.contains(id))) {
            match self.open_by_id(room, loaded, id).await {
                Ok(snapshot) => return Ok(Tree::Archive { snapshot, sandbox_id: None }),
                Err(error) if error.code == ErrorCode::SnapshotGone => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Tree::Empty { sandbox_id: None })
    }
}
