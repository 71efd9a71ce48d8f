//! Snapshots.

use crate::api::operation::descriptor::Entry;
use crate::api::operation::tool::ToolEntry;

pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod lineage;
pub(crate) mod list;
pub(crate) mod list_events;
pub(crate) mod take;
pub(crate) mod update;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<take::TakeSnapshot>(),
    Entry::of::<list::ListSnapshots>(),
    Entry::of::<get::GetSnapshot>(),
    Entry::of::<list_events::ListSnapshotEvents>(),
    Entry::of::<delete::DeleteSnapshot>(),
    Entry::of::<update::UpdateSnapshot>(),
    Entry::of::<lineage::ShowLineage>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of::<take::TakeSnapshot>(),
    ToolEntry::of::<list::ListSnapshots>(),
    ToolEntry::of::<get::GetSnapshot>(),
    ToolEntry::of::<delete::DeleteSnapshot>(),
    ToolEntry::of::<update::UpdateSnapshot>(),
    ToolEntry::of::<lineage::ShowLineage>(),
];
