//! Git checkpoints. They exist only as tools.

use crate::api::operation::ToolEntry;

pub(crate) mod delete;
pub(crate) mod diff;
pub(crate) mod list;
pub(crate) mod restore;
pub(crate) mod take;

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of::<take::TakeGitCheckpoint>(),
    ToolEntry::of::<list::ListGitCheckpoints>(),
    ToolEntry::of::<restore::RestoreGitCheckpoint>(),
    ToolEntry::of::<diff::DiffGitCheckpoint>(),
    ToolEntry::of::<delete::DeleteGitCheckpoint>(),
];
