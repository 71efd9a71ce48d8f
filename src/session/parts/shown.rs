//! Changes as callers see them.

use crate::domain::tree::changes::{Change, ChangeCounts, ChangeKind};
use crate::domain::tree::{TreeEntry, TreeKind};
use crate::ports::sandbox::files::shown;
use crate::ports::sandbox::{FileType, FoundPath};
use crate::session::catalogue::ChangedPath;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A changed path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ShownChange {
    /// From the root.
    #[serde(flatten)]
    pub path: FoundPath,
    /// What happened.
    pub change: ChangeKind,
    /// Where a renamed file was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<FoundPath>,
    /// Type; for a removed path, the type that it had.
    pub r#type: FileType,
    /// Type before, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_type: Option<FileType>,
    /// Size of a file in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// Size of the file before, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_size_bytes: Option<u64>,
    /// Permission bits in octal, if they changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Permission bits before, if they changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_mode: Option<String>,
    /// Owner and group, if they changed: `UID:GID`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Owner and group before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_owner: Option<String>,
    /// Target of a symbolic link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Target before, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_target: Option<String>,
    /// Its content was not compared, because one call can't compare so much: it may be the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// Unified diff. Bytes that are not UTF-8 are replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why its content is not shown, or is not in the patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_text: Option<NoText>,
}

/// Why a change has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum NoText {
    /// The content is not text.
    Binary,
    /// The file is larger than 1 MiB.
    TooLarge,
    /// maxBytes leaves no room.
    NoRoom,
    /// `git apply` takes no patch of such a path.
    Refused,
}

/// Changes that are only counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct IgnoredChanges {
    /// Directory or file.
    #[serde(flatten)]
    pub path: FoundPath,
    /// How many changes.
    pub counts: ChangeCounts,
}

/// What would change in the files of the active workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct PlannedChanges {
    /// All changes, without ignored files.
    pub counts: ChangeCounts,
    /// The first changed paths, at most 200.
    pub paths: Vec<ChangedPath>,
    /// Counts of changes in .git and in ignored files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<IgnoredChanges>,
}

pub(crate) fn ignored(
    set_aside: BTreeMap<Vec<u8>, ChangeCounts>,
    max: usize,
) -> Vec<IgnoredChanges> {
    let shown =
        |(path, counts): (Vec<u8>, _)| IgnoredChanges { path: FoundPath::of(&path), counts };
    set_aside.into_iter().map(shown).take(max).collect()
}

impl ShownChange {
    pub(crate) fn of(change: &Change) -> Self {
        let (old, new) = (change.old.as_ref(), change.new.as_ref());
        let present = new.or(old);
        let differs = |of: fn(&TreeEntry) -> String| match (old.map(of), new.map(of)) {
            (Some(old), Some(new)) if old != new => (Some(old), Some(new)),
            _ => (None, None),
        };
        let (old_mode, mode) = differs(|entry| format!("{:o}", entry.mode));
        let (old_owner, owner) = differs(|entry| format!("{}:{}", entry.uid, entry.gid));
        let size = present.and_then(TreeEntry::file_bytes);
        let old_size = old.and_then(TreeEntry::file_bytes);
        let target = present.and_then(target);
        let r#type = present.map_or(FileType::Other, file_type);
        let old_type = old.map(file_type);
        Self {
            path: FoundPath::of(&change.path),
            change: change.kind,
            renamed_from: change.from.as_deref().map(FoundPath::of),
            r#type,
            old_type: old_type.filter(|old| *old != r#type),
            size_bytes: size,
            old_size_bytes: old_size.filter(|old| Some(*old) != size),
            mode,
            old_mode,
            owner,
            old_owner,
            old_target: old.and_then(self::target).filter(|old| Some(old) != target.as_ref()),
            target,
            uncertain: change.is_uncertain,
            text: None,
            no_text: None,
        }
    }
}

fn target(entry: &TreeEntry) -> Option<String> {
    match &entry.kind {
        TreeKind::Symlink { target } => Some(shown(target).0),
        _ => None,
    }
}

const fn file_type(entry: &TreeEntry) -> FileType {
    match entry.kind {
        TreeKind::File { .. } => FileType::File,
        TreeKind::Directory => FileType::Directory,
        TreeKind::Symlink { .. } => FileType::Symlink,
        TreeKind::Other(_) => FileType::Other,
    }
}
