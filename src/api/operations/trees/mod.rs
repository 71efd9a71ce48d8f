//! Compare snapshots and workspaces.

use crate::api::operation::descriptor::Entry;
use crate::api::operation::tool::ToolEntry;

pub(crate) mod diff;

pub(crate) static OPERATIONS: &[&Entry] = &[Entry::of::<diff::Diff>()];

pub(crate) static TOOLS: &[&ToolEntry] = &[ToolEntry::of::<diff::Diff>()];
