//! Compare snapshots and workspaces, and keep the best.

use crate::api::operation::{Entry, ToolEntry};

pub(crate) mod compare;
pub(crate) mod diff;
pub(crate) mod promote;

pub(crate) static OPERATIONS: &[&Entry] =
    &[Entry::of::<diff::Diff>(), Entry::of::<compare::Compare>(), Entry::of::<promote::Promote>()];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of_operation::<diff::Diff>(),
    ToolEntry::of_operation::<compare::Compare>(),
    ToolEntry::of_operation::<promote::Promote>(),
];
