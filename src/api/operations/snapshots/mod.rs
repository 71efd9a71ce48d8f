//! Snapshots.

use crate::api::operation::{Entry, ToolEntry};

#[macro_use]
pub(crate) mod take;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod transfer;
pub(crate) mod update;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<take::TakeSnapshot>(),
    Entry::of::<list::ListSnapshots>(),
    Entry::of::<get::GetSnapshot>(),
    Entry::of::<list::ListSnapshotEvents>(),
    Entry::of::<delete::DeleteSnapshot>(),
    Entry::of::<update::UpdateSnapshot>(),
    Entry::of::<delete::FlattenSnapshot>(),
    Entry::of::<transfer::ImportSnapshot>(),
    Entry::of::<transfer::ImportBackup>(),
    Entry::of::<transfer::ExportSnapshot>(),
    Entry::of::<transfer::ExportBackup>(),
    Entry::of::<list::ShowLineage>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of_operation::<take::TakeSnapshot>(),
    ToolEntry::of_operation::<list::ListSnapshots>(),
    ToolEntry::of_operation::<get::GetSnapshot>(),
    ToolEntry::of_operation::<delete::DeleteSnapshot>(),
    ToolEntry::of_operation::<update::UpdateSnapshot>(),
    ToolEntry::of_operation::<list::ShowLineage>(),
];
