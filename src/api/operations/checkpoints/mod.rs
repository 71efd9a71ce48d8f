//! Checkpoints in git. They are tools only.

use crate::api::operation::tool::ToolEntry;

pub(crate) mod delete;
pub(crate) mod diff;
pub(crate) mod list;
pub(crate) mod restore;
pub(crate) mod take;

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of::<take::TakeCheckpoint>(),
    ToolEntry::of::<list::ListCheckpoints>(),
    ToolEntry::of::<restore::RestoreCheckpoint>(),
    ToolEntry::of::<diff::DiffCheckpoint>(),
    ToolEntry::of::<delete::DeleteCheckpoint>(),
];
